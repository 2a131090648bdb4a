import type { Conversation } from '@signalbox/database/chat/conversations';
import { CHANNELS } from '@signalbox/domain/channel';
import { sessionEnd } from '@signalbox/domain/chat/limits';
import { messageId } from '@signalbox/domain/message-id';
import { type MessageStatus, wireStatus } from '@signalbox/domain/message-status';
import { type Static, Type } from 'typebox';
import { MESSAGE_ID, TIME, WIRE_STATUSES, model, nullable, oneOf } from '../docs/model.ts';
import { InboundView, inboundView } from '../inbound/inbound.view.ts';
import { MessageContentView } from '../messages/message-content.view.ts';
import { MessageSummary } from '../messages/message.view.ts';

export const ConversationView = model(
  'Conversation',
  'A sender of the account and someone who wrote to it.',
  {
    sender: Type.String({ description: "The account's number." }),
    recipient: Type.String({
      description: 'The number of the person, or the user id of someone who shows none.',
    }),
    channel: oneOf(CHANNELS),
    lastInbound: InboundView,
    lastInboundAt: TIME,
    sessionOpenUntil: nullable(
      TIME,
      'End of the session window, in which messages other than templates may be sent; null when it is closed, and for SMS.',
    ),
    lastMessage: nullable(
      Type.Object({ messageId: MESSAGE_ID, status: oneOf(WIRE_STATUSES) }),
      'Newest message to the person; null when none of their last 20 is from this sender.',
    ),
    isAnswered: Type.Boolean({ description: 'True when that message is newer than what the person wrote.' }),
  },
);
export type ConversationView = Static<typeof ConversationView>;

export const ThreadEntry = model(
  'ConversationEntry',
  'A message of a conversation: `inbound` from the person, or `message` to the person.',
  {
    at: TIME,
    direction: oneOf(['in', 'out']),
    inbound: nullable(InboundView),
    message: nullable(MessageSummary),
    content: nullable(MessageContentView, 'Content of `message`.'),
  },
);
export type ThreadEntry = Static<typeof ThreadEntry>;

export function conversationView(row: Conversation): ConversationView {
  const { lastInboundAt, answerId, answerN, answerStatus, from, to, chatAccountId, id, receivedAt } = row;
  const openUntil = lastInboundAt && sessionEnd(lastInboundAt);
  return {
    sender: to,
    recipient: from,
    channel: chatAccountId === null ? 'sms' : 'chatapp',
    lastInbound: inboundView(row),
    lastInboundAt: receivedAt.toISOString(),
    sessionOpenUntil: openUntil && openUntil > new Date() ? openUntil.toISOString() : null,
    lastMessage:
      answerId === null
        ? null
        : { messageId: messageId(answerId, answerN!), status: wireStatus(answerStatus as MessageStatus) },
    isAnswered: answerId !== null && answerId > id,
  };
}
