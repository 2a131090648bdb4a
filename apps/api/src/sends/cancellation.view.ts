import {
  type Cancellation,
  MAX_EXAMINED,
  MAX_PREVIEWED,
} from '@signalbox/database/submissions/cancellations';
import { type Static, Type } from 'typebox';
import { CHANNELS } from '@signalbox/domain/channel';
import { ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const CancellationView = model(
  'Cancellation',
  'A cancellation of pending messages, and its progress. A preview has neither id nor status.',
  {
    id: nullable(ID),
    status: nullable(oneOf(['running', 'done', 'stopped'])),
    filter: Type.Object({
      channel: Type.Optional(oneOf(CHANNELS)),
      campaignName: Type.Optional(TEXT),
      clientRef: Type.Optional(TEXT),
      sender: Type.Optional(TEXT),
      from: Type.Optional(TIME),
      to: Type.Optional(TIME),
    }),
    total: Type.Integer({
      minimum: 0,
      description: `Pending messages at the start, counted in the ${MAX_EXAMINED} newest sends; of those already handed to a worker, only among the ${MAX_PREVIEWED} newest.`,
    }),
    examined: Type.Integer({ minimum: 0, description: 'Sends that were looked at.' }),
    sends: Type.Integer({
      minimum: 0,
      description: 'Sends that were cancelled; in a preview, that would be.',
    }),
    cancelled: Type.Integer({ minimum: 0, description: 'Messages that were cancelled.' }),
    createdAt: TIME,
    finishedAt: nullable(TIME),
  },
);
export type CancellationView = Static<typeof CancellationView>;

export function cancellationView({
  filter: { campaign, from, to, ...same },
  createdAt,
  finishedAt,
  status,
  ...rest
}: Cancellation): CancellationView {
  const named = { ...same, campaignName: campaign, from: from?.toISOString(), to: to?.toISOString() };
  return {
    ...rest,
    status: status.toLowerCase() as Lowercase<Cancellation['status']>,
    filter: Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
