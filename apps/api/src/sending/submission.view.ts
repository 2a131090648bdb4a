import type { SubmissionProgress } from '@signalbox/database/submissions/progress';
import { type Static, Type } from 'typebox';
import { CHANNELS } from '@signalbox/domain/channel';
import { COUNT, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';
import { wireType } from './wire-type.ts';

/** The states of a send. */
const SEND_STATES = ['scheduled', 'sending', 'cancelled', 'done'] as const;
type SendState = (typeof SEND_STATES)[number];

export const SubmissionView = model('Send', 'A send and its progress.', {
  id: ID,
  channel: oneOf(CHANNELS),
  sender: TEXT,
  type: Type.String({ description: 'The `type` of the call.' }),
  templateName: nullable(TEXT, 'Name of the chat-app template.'),
  campaignName: nullable(TEXT),
  clientRef: nullable(TEXT),
  createdAt: TIME,
  sendAt: nullable(TIME),
  expiresAt: TIME,
  ratePerSecond: nullable(Type.Integer()),
  cancelledAt: nullable(TIME),
  state: oneOf(
    SEND_STATES,
    '`scheduled` before `sendAt`, `sending` while messages are pending, `cancelled` once it was cancelled, else `done`.',
  ),
  totalCount: COUNT,
  statuses: Type.Object(
    { Pending: COUNT, Sent: COUNT, Delivered: COUNT, Read: COUNT, Failed: COUNT },
    { description: 'Messages by status; they add up to `totalCount`.' },
  ),
  held: Type.Integer({ minimum: 0, description: 'Pending messages held by quiet hours.' }),
  heldUntil: nullable(TIME, 'End of the earliest of these quiet hours.'),
  cancelled: Type.Integer({ minimum: 0, description: 'Failed messages that were cancelled.' }),
});
export type SubmissionView = Static<typeof SubmissionView>;

/** Renders a submission for the wire. */
export function submissionView(progress: SubmissionProgress): SubmissionView {
  const {
    PENDING: Pending,
    SENT: Sent,
    DELIVERED: Delivered,
    READ: Read,
    FAILED: Failed,
  } = progress.statuses;
  return show(SubmissionView, {
    ...progress,
    type: wireType(progress),
    campaignName: progress.campaign,
    createdAt: progress.acceptedAt,
    state: stateOf(progress),
    totalCount: progress.total,
    statuses: { Pending, Sent, Delivered, Read, Failed },
  });
}

function stateOf({ cancelledAt, sendAt, statuses }: SubmissionProgress): SendState {
  if (cancelledAt) return 'cancelled';
  if (sendAt && sendAt > new Date()) return 'scheduled';
  return statuses.PENDING > 0 ? 'sending' : 'done';
}
