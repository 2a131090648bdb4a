import { COUNTED_ROWS } from '@signalbox/domain/limits';
import type { WebhookHealth } from '@signalbox/database/webhooks/endpoint-hours';
import { type Static, Type } from 'typebox';
import { COUNT, ID, TEXT, TIME, model, nullable } from '../docs/model.ts';
import { ENDPOINT_STATE, endpointState } from './endpoint-state.view.ts';

export const WebhookHealthView = model('WebhookHealth', 'Breaker, backlog and calls of a webhook.', {
  webhookId: ID,
  called: Type.Boolean({ description: 'False while no call was made, or none for 31 days.' }),
  ...ENDPOINT_STATE,
  lastFailure: nullable(
    Type.Object({ at: TIME, responseStatus: nullable(Type.Integer()), error: TEXT }),
    'The failed call of the newest report; null when none is kept.',
  ),
  hours: Type.Array(Type.Object({ at: TIME, calls: COUNT, failures: COUNT }), {
    description: 'Calls by hour, oldest first. Each hour is there, also those without a call.',
  }),
});
export type WebhookHealthView = Static<typeof WebhookHealthView>;

const HOUR_MS = 3_600_000;

/** @param hours the number of hours to show, the current one included */
export function webhookHealthView(health: WebhookHealth, hours: number): WebhookHealthView {
  const { webhookId, hasCalls, lastFailure } = health;
  return {
    webhookId,
    called: hasCalls,
    ...endpointState(health, COUNTED_ROWS),
    lastFailure: lastFailure && { ...lastFailure, at: new Date(lastFailure.at).toISOString() },
    hours: everyHour(health.hours, hours),
  };
}

function everyHour(given: WebhookHealth['hours'], count: number): WebhookHealthView['hours'] {
  const byHour = new Map(given.map((hour) => [Date.parse(hour.at), hour]));
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, i) => {
    const at = last - (count - 1 - i) * HOUR_MS;
    const { calls = 0, failures = 0 } = byHour.get(at) ?? {};
    return { at: new Date(at).toISOString(), calls, failures };
  });
}
