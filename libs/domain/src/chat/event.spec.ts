import { expect, test } from '@jest/globals';
import { TEMPLATE_MESSAGE } from '@signalbox/test/chat-event-data';
import { type ChatFacts, type EventMessage, renderChatPush } from './event.ts';
import { PLACEHOLDERS } from '../webhooks/report-fields.ts';

const ID = '0192e4a0-0000-7000-8000-000000000001';
const AT = new Date('2026-11-20T23:10:05.999Z');

const SESSION: ChatFacts = { at: AT, kind: 'interactive', template: null, campaign: null, clientRef: null };

function eventMessage(change: Partial<EventMessage> = {}): EventMessage {
  return {
    submissionId: ID,
    n: 1,
    recipient: '919800000001',
    sender: '15550100001',
    credits: 1,
    gateway: 'chat-simulator',
    status: 'READ',
    errCode: '000',
    description: 'Message read',
    operatorCircle: null,
    acceptedAt: new Date('2026-11-20T23:10:00.123Z'),
    deliveredAt: new Date('2026-11-20T23:10:04Z'),
    chat: {
      at: AT,
      kind: 'template',
      template: { name: 'order_update', language: 'en_US' },
      campaign: 'spring',
      clientRef: 'A-1',
    },
    ...change,
  };
}

const render = (message: EventMessage, headers: { key: string; value: string }[] = []) => {
  const rendered = renderChatPush({ endPoint: 'https://example.com/events', headers }, message);
  return {
    ...rendered,
    event: JSON.parse(rendered.body ?? '') as {
      type: string;
      timestamp: string;
      data: Record<string, unknown>;
    },
  };
};

test('a status event shows the message, its template and the report of the gateway', () => {
  expect(render(eventMessage()).event).toEqual({
    type: 'message.status',
    timestamp: '2026-11-20T23:10:05.999Z',
    data: {
      messageId: `${ID}:1`,
      from: '15550100001',
      to: '919800000001',
      status: 'Read',
      ...TEMPLATE_MESSAGE,
      statusDescription: 'Message read',
      createdAt: '2026-11-20T23:10:00.123Z',
    },
  });
});

test('an expired message shows its error and no gateway', () => {
  const expired = eventMessage({
    status: 'FAILED',
    errCode: '901',
    description: 'Expired before it could be submitted',
    gateway: '',
  });
  expect(render(expired).event.data).toMatchObject({
    status: 'Failed',
    errCode: '901',
    statusDescription: 'Expired before it could be submitted',
    gatewayName: null,
  });
});

test('a submitted session message is Sent and has no template', () => {
  const { type, data } = render(eventMessage({ status: 'SUBMITTED', chat: SESSION })).event;
  expect(type).toBe('message.sent');
  expect(data).toMatchObject({
    status: 'Sent',
    kind: 'session',
    messageType: 'interactive',
    templateName: null,
    language: null,
  });
});

test.each([null, `${ID}:1`])(
  'an inbound message shows its content, its numbers and the message %s it replies to',
  (replyTo) => {
    const chat = {
      at: AT,
      kind: 'text',
      content: { text: { body: 'YES "{{1}}"' } },
      chatAccountId: 7,
      replyTo,
    };
    expect(render(eventMessage({ status: 'RECEIVED', n: 0, chat })).event).toEqual({
      type: 'message.received',
      timestamp: '2026-11-20T23:10:05.999Z',
      data: {
        messageId: ID,
        from: '919800000001',
        to: '15550100001',
        chatAccountId: 7,
        status: 'Received',
        messageType: 'text',
        text: { body: 'YES "{{1}}"' },
        context: replyTo === null ? null : { messageId: replyTo },
        receivedAt: '2026-11-20T23:10:00.123Z',
      },
    });
  },
);

test('headers render every placeholder, with the status of the event', () => {
  const headers = PLACEHOLDERS.map((name) => ({ key: `X-${name}`, value: `{{${name}}}` }));
  expect(render(eventMessage(), headers).headers).toEqual({
    'user-agent': 'Signalbox',
    'X-messageId': `${ID}:1`,
    'X-mobileNumber': '919800000001',
    'X-senderName': '15550100001',
    'X-errCode': '000',
    'X-status': 'Read',
    'X-createdAt': '1795216200123',
    'X-deliveredDate': 'Fri Nov 20 2026 23:10:04 GMT+0000 (Coordinated Universal Time)',
    'X-statusDescription': 'Message read',
    'X-messageCredit': '1',
    'X-gatewayName': 'chat-simulator',
    'X-operatorCircle': 'UNKNOWN',
    'content-type': 'application/json',
  });
});
