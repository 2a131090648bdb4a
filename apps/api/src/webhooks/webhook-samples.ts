import type { ChatFacts, EventMessage } from '@signalbox/domain/chat/event';
import type { DeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { messageId } from '@signalbox/domain/message-id';
import type { ChatEvent } from '@signalbox/domain/webhooks/push-filters';

const SUBMISSION_ID = '00000000-0000-7000-8000-000000000000';
const INBOUND_ID = '00000000-0000-7000-8000-000000000001';
const MESSAGE_ID = messageId(SUBMISSION_ID, 1);
const AT = new Date('2026-01-01T00:00:00.000Z');

/** A sample report of an SMS, with values that no real report has. */
export const SAMPLE_REPORT: DeliveryReport = {
  messageId: MESSAGE_ID,
  mobileNumber: '15550100000',
  messageCredit: 1,
  gatewayName: 'sample',
  senderName: 'SAMPLE',
  errCode: '000',
  status: 'Delivered',
  createdAt: AT,
  deliveredAt: new Date(AT.getTime() + 2_000),
  operatorCircle: 'UNKNOWN',
  statusDescription: 'A sample, not a message',
};

/** A sample event of a chat-app message, with values that no real event has. */
export function sampleEvent(event: ChatEvent): EventMessage {
  const {
    gatewayName: gateway,
    errCode,
    mobileNumber: recipient,
    statusDescription: description,
  } = SAMPLE_REPORT;
  const shared = {
    submissionId: SUBMISSION_ID,
    recipient,
    sender: '15550100001',
    gateway,
    errCode,
    description,
  };
  const message = { ...shared, n: 1, credits: 1, operatorCircle: null, acceptedAt: AT, deliveredAt: null };
  const at = new Date(AT.getTime() + 2_000);
  if (event === 'message.received') {
    const chat = {
      at,
      kind: 'text',
      content: { text: { body: 'A sample, not a message' } },
      chatAccountId: 1,
      replyTo: MESSAGE_ID,
    };
    return { ...message, submissionId: INBOUND_ID, n: 0, credits: 0, status: 'RECEIVED', chat };
  }
  const template = { name: 'sample_template', language: 'en_US' };
  const chat = { at, kind: 'template', template, campaign: null, clientRef: null };
  return { ...message, status: event === 'message.sent' ? 'SUBMITTED' : 'DELIVERED', chat };
}

/** A sample of an inbound SMS, with values that no real one has. */
export const SMS_SAMPLE: EventMessage = smsSample();

function smsSample(): EventMessage {
  const sample = sampleEvent('message.received');
  return { ...sample, chat: { ...sample.chat, chatAccountId: null, replyTo: null } as ChatFacts };
}
