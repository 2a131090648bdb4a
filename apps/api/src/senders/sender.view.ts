import type { AssignedSender } from '@signalbox/database/chat/assignments';
import type { OwnSender } from '@signalbox/database/chat/own-senders';
import { type Static, Type } from 'typebox';
import { CHANNELS } from '@signalbox/domain/channel';
import { FLAG, ID, NUMBER, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const SenderView = model('Sender', 'A sender that the account sends from.', {
  channel: oneOf(CHANNELS),
  sender: TEXT,
  chatAccountId: nullable(Type.Integer(), 'Null for an SMS sender.'),
  chatAccountName: nullable(TEXT),
  sessionWindow: nullable(oneOf(['off', 'enforce'])),
  lastUsedAt: nullable(
    TIME,
    'Latest SMS from it among the 500 latest sends; null for a number of a chat app.',
  ),
});
export type SenderView = Static<typeof SenderView>;

export const SenderAssignmentView = model('SenderAssignment', 'A number of a chat app and its account.', {
  msisdn: NUMBER,
  accountId: ID,
  accountName: TEXT,
  assignedBy: oneOf(['operator', 'account']),
  assignedAt: TIME,
  quarantinedUntil: nullable(TIME, 'Time until which a deleted number is kept from other accounts.'),
  inUse: FLAG,
});
export type SenderAssignmentView = Static<typeof SenderAssignmentView>;

export function senderView({ lastUsedAt, ...sender }: OwnSender): SenderView {
  return { ...sender, lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

export function assignmentView({
  account: accountName,
  assignedAt,
  quarantinedUntil,
  ...assignment
}: AssignedSender): SenderAssignmentView {
  return {
    ...assignment,
    accountName,
    assignedAt: assignedAt.toISOString(),
    quarantinedUntil: quarantinedUntil?.toISOString() ?? null,
  };
}
