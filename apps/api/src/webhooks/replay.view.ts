import { MAX_COUNTED, type Replay } from '@signalbox/database/webhooks/replays';
import { type Static, Type } from 'typebox';
import { COUNT, ID, TEXT, TIME, model, nullable } from '../docs/model.ts';

export const ReplayView = model('Replay', 'A replay and its progress. A preview has neither id nor status.', {
  id: nullable(ID),
  webhookId: ID,
  status: nullable(TEXT),
  from: TIME,
  to: TIME,
  statuses: Type.Array(TEXT),
  ratePerSecond: Type.Integer(),
  total: Type.Integer({
    minimum: 0,
    description: 'Deliveries in the range at the start, counted up to `countedTo`.',
  }),
  countedTo: COUNT,
  replayed: COUNT,
  createdAt: TIME,
  finishedAt: nullable(TIME),
});
export type ReplayView = Static<typeof ReplayView>;

export function replayView({
  from,
  to,
  statuses,
  createdAt,
  finishedAt,
  status,
  ...rest
}: Replay): ReplayView {
  return {
    ...rest,
    status: status.toLowerCase(),
    from: from.toISOString(),
    to: to.toISOString(),
    statuses: statuses.map((each) => each.toLowerCase()),
    countedTo: MAX_COUNTED,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
