import type { InboundRow } from '@signalbox/database/chat/inbound-list';
import { isUserId } from '@signalbox/domain/chat/user-id';
import { messageId } from '@signalbox/domain/message-id';
import { type Static, Type } from 'typebox';
import { ID, MESSAGE_ID, TEXT, TIME, model, nullable } from '../docs/model.ts';

/** The members that say who wrote an inbound message, and to whom. */
export const WRITER = {
  chatAccountId: Type.Optional(Type.Integer({ description: 'Absent for an SMS.' })),
  from: nullable(TEXT, 'Null for a writer who shows no number.'),
  userId: Type.Optional(
    Type.String({ description: "The chat app's id of the writer; absent when it has none." }),
  ),
  to: TEXT,
};

/** The members that say what it is about. */
export const WRITTEN = {
  text: Type.Optional(Type.Object({ body: TEXT })),
  context: nullable(
    Type.Object({ messageId: MESSAGE_ID }),
    'The message of yours that it replies to; null when it names none.',
  ),
};

export const InboundView = model(
  'InboundMessage',
  'A message that a recipient wrote. Its content is the member named like its `type`.',
  {
    id: ID,
    ...WRITER,
    type: TEXT,
    ...WRITTEN,
    gateway: TEXT,
    sentAt: TIME,
    receivedAt: TIME,
  },
  { additionalProperties: true },
);
export type InboundView = Static<typeof InboundView>;

export function inboundView(row: InboundRow): InboundView {
  const { id, chatAccountId, from, userId, to, kind, content, replyToId, replyToN, gateway } = row;
  return {
    id,
    ...(chatAccountId !== null && { chatAccountId }),
    from: isUserId(from) ? null : from,
    ...(userId !== null && { userId }),
    to,
    type: kind,
    ...content,
    context: replyToId !== null && replyToN !== null ? { messageId: messageId(replyToId, replyToN) } : null,
    gateway,
    sentAt: row.sentAt.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
  };
}
