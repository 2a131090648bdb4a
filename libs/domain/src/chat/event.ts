import {
  type PushShape,
  type RenderedPush,
  type ReportedMessage,
  renderHeaders,
  reportFields,
  toDeliveryReport,
} from '../webhooks/delivery-report.ts';
import { type MessageStatus, type ReportStatus, wireStatus } from '../message-status.ts';
import type { ChatEvent } from '../webhooks/push-filters.ts';

/** What the event of a message shows that we sent. */
interface SentFacts {
  /** When it happened, as JSON writes it. */
  at: string;
  /** The wire's `type` (spec 4.5). */
  kind: string;
  /** Null within a session. */
  template: { name: string; language: string } | null;
  campaign: string | null;
  clientRef: string | null;
}

/** What the event of a message shows that a recipient wrote. */
interface InboundFacts {
  at: string;
  kind: string;
  /** The member that its kind names. */
  content: object;
  chatAccountId: number;
  /** The id of the message that it answers. */
  replyTo: string | null;
}

/** What an event of the chat app shows beyond what the report of an SMS does. */
export type ChatFacts = SentFacts | InboundFacts;

/** A message of the chat app as a report tells of it. */
export interface EventMessage extends ReportedMessage {
  chat: ChatFacts;
}

/** The kind of event that a report of a chat-app message is. */
export function chatEventOf(status: MessageStatus | ReportStatus): ChatEvent {
  if (status === 'RECEIVED') return 'message.received';
  return status === 'SUBMITTED' ? 'message.sent' : 'message.status';
}

/** Renders an event of the chat app as a call of a webhook: a JSON body, and the headers that the webhook asks for. */
export function renderChatPush(
  target: Pick<PushShape, 'endPoint' | 'headers'>,
  message: EventMessage,
): RenderedPush {
  const report = { ...toDeliveryReport(message), status: eventStatus(message.status) };
  const headers = renderHeaders(target.headers, reportFields(report));
  headers['content-type'] = 'application/json';
  return { url: target.endPoint, headers, body: JSON.stringify(chatEvent(message)) };
}

/** The body of an event (docs/webhooks.md). */
function chatEvent(message: EventMessage): object {
  const { status, chat } = message;
  const data = 'content' in chat ? receivedData(message, chat) : sentData(message, chat);
  return { type: chatEventOf(status), timestamp: new Date(chat.at).toISOString(), data };
}

function sentData(message: EventMessage, { kind, template, campaign, clientRef }: SentFacts): object {
  const { messageId, senderName, mobileNumber, gatewayName, errCode, statusDescription, createdAt } =
    toDeliveryReport(message);
  return {
    messageId,
    from: senderName,
    to: mobileNumber,
    status: eventStatus(message.status),
    kind: template ? 'template' : 'session',
    messageType: kind,
    templateName: template?.name ?? null,
    language: template?.language ?? null,
    campaignName: campaign,
    clientRef,
    gatewayName: gatewayName || null, // a message that ended before any gateway had it
    errCode,
    statusDescription,
    createdAt: createdAt.toISOString(),
  };
}

function receivedData(
  message: EventMessage,
  { kind, content, chatAccountId, replyTo }: InboundFacts,
): object {
  const { messageId, senderName, mobileNumber, createdAt } = toDeliveryReport(message);
  return {
    messageId,
    from: mobileNumber,
    to: senderName,
    chatAccountId,
    status: eventStatus(message.status),
    messageType: kind,
    ...content,
    context: replyTo === null ? null : { messageId: replyTo },
    receivedAt: createdAt.toISOString(),
  };
}

/** The word of an event's status on the wire: with its gateway is what a caller knows as sent. */
export function eventStatus(status: MessageStatus | ReportStatus): string {
  return wireStatus(status === 'SUBMITTED' ? 'SENT' : status);
}
