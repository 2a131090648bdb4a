import type { OptOut } from '@signalbox/database/accounts/opt-outs';
import type { Static } from 'typebox';
import { ID, NUMBER, TEXT, TIME, model, nullable } from '../docs/model.ts';

export const OptOutView = model('OptOut', 'A recipient who gets no more messages.', {
  id: ID,
  recipient: NUMBER,
  sender: nullable(TEXT, 'Null for all senders of the account.'),
  source: TEXT,
  reason: nullable(TEXT),
  createdAt: TIME,
});
export type OptOutView = Static<typeof OptOutView>;

export function optOutView({ id, recipient, sender, source, reason, createdAt }: OptOut): OptOutView {
  return { id, recipient, sender: sender || null, source, reason, createdAt: createdAt.toISOString() };
}
