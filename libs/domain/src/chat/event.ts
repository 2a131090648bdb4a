import type { Channel } from '../channel.ts';
import {
  type DeliveryReport,
  type PushShape,
  type RenderedPush,
  type ReportedMessage,
  renderHeaders,
  reportFields,
  toDeliveryReport,
} from '../webhooks/delivery-report.ts';
import { type MessageStatus, type ReportStatus, wireStatus } from '../message-status.ts';
import { isUserId } from './user-id.ts';
import type { ChatEvent } from '../webhooks/push-filters.ts';

/** Fields of the event of an outbound message, beyond those of an SMS report. */
interface SentFacts {
  /** Time of the event. */
  at: Date;
  /** The `type` of the message on the wire. */
  kind: string;
  /** Null for a session message. */
  template: { name: string; language: string } | null;
  campaign: string | null;
  clientRef: string | null;
}

/** Fields of the event of an inbound message. */
export interface InboundFacts {
  at: Date;
  kind: string;
  /** One member, named like `kind`. */
  content: object;
  /** Null for an SMS. */
  chatAccountId: number | null;
  /** The provider's id of the writer; null when it has none. */
  userId?: string | null;
  /** Id of the message that this one replies to. */
  replyTo: string | null;
}

export type ChatFacts = SentFacts | InboundFacts;

/** Returns the channel of the webhooks that an event is pushed to. */
export function eventChannelOf(chat: ChatFacts): Channel {
  return 'content' in chat && chat.chatAccountId === null ? 'sms' : 'chatapp';
}

/** A chat-app message, or an inbound SMS, with the fields of its event. */
export interface EventMessage extends ReportedMessage {
  chat: ChatFacts;
}

/** Maps the status of a report to the kind of its event. */
export function chatEventOf(status: MessageStatus | ReportStatus): ChatEvent {
  if (status === 'RECEIVED') return 'message.received';
  return status === 'SUBMITTED' ? 'message.sent' : 'message.status';
}

/** Renders an event as a webhook call: a JSON body, and the configured headers. */
export function renderChatPush(
  target: Pick<PushShape, 'endPoint' | 'headers'>,
  message: EventMessage,
): RenderedPush {
  const report = { ...toDeliveryReport(message), status: eventStatus(message.status) };
  const headers = renderHeaders(target.headers, target.headers.length === 0 ? {} : reportFields(report));
  headers['content-type'] = 'application/json';
  return { url: target.endPoint, headers, body: JSON.stringify(chatEvent(message, report)) };
}

/** Builds the body documented in docs/webhooks.md. */
function chatEvent({ status, chat }: EventMessage, report: DeliveryReport): object {
  const data = 'content' in chat ? receivedData(report, chat) : sentData(report, chat);
  return { type: chatEventOf(status), timestamp: chat.at.toISOString(), data };
}

function sentData(report: DeliveryReport, { kind, template, campaign, clientRef }: SentFacts): object {
  const { messageId, senderName, mobileNumber, gatewayName, errCode, statusDescription, createdAt, status } =
    report;
  return {
    messageId,
    from: senderName,
    to: mobileNumber,
    status,
    kind: template ? 'template' : 'session',
    messageType: kind,
    templateName: template?.name ?? null,
    language: template?.language ?? null,
    campaignName: campaign,
    clientRef,
    gatewayName: gatewayName || null, // '' for a message that ended before it was submitted
    errCode,
    statusDescription,
    createdAt: createdAt.toISOString(),
  };
}

function receivedData(
  { messageId, senderName, mobileNumber, createdAt, status }: DeliveryReport,
  { kind, content, chatAccountId, userId = null, replyTo }: InboundFacts,
): object {
  return {
    messageId,
    from: isUserId(mobileNumber) ? null : mobileNumber,
    ...(userId !== null && { userId }),
    to: senderName,
    ...(chatAccountId !== null && { chatAccountId }),
    status,
    messageType: kind,
    ...content,
    context: replyTo === null ? null : { messageId: replyTo },
    receivedAt: createdAt.toISOString(),
  };
}

/** Converts the status of an event to its wire form. Submitted to a gateway is `Sent` on the wire. */
export function eventStatus(status: MessageStatus | ReportStatus): string {
  return wireStatus(status === 'SUBMITTED' ? 'SENT' : status);
}
