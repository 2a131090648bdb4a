import type { EndpointState } from '@signalbox/database/webhooks/endpoints';
import { type Static, Type } from 'typebox';
import { COUNT, TIME, nullable, oneOf } from '../docs/model.ts';

/** Members of a model that show the breaker and the backlog of an endpoint. */
export const ENDPOINT_STATE = {
  breaker: oneOf(['closed', 'open']),
  openUntil: nullable(TIME),
  failuresInRow: COUNT,
  failingSince: nullable(TIME),
  backlog: Type.Integer({ minimum: 0, description: 'Pending deliveries, counted up to `backlogCountedTo`.' }),
  backlogCountedTo: COUNT,
  nextAttemptAt: nullable(
    TIME,
    'When the first pending delivery is due, and the breaker allows a call; null without one, or while the webhook is disabled.',
  ),
};

/** Shows a state whose backlog was counted up to a number. */
export function endpointState(
  { openLevel, openUntil, failuresInRow, failingSince, backlog, nextAttemptAt }: EndpointState,
  backlogCountedTo: number,
): { [Member in keyof typeof ENDPOINT_STATE]: Static<(typeof ENDPOINT_STATE)[Member]> } {
  return {
    breaker: openLevel > 0 ? 'open' : 'closed',
    openUntil: openUntil?.toISOString() ?? null,
    failuresInRow,
    failingSince: failingSince?.toISOString() ?? null,
    backlog,
    backlogCountedTo,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  };
}
