import { expect, test } from '@jest/globals';
import { type ChatFacts, type EventMessage, renderChatPush } from './event.ts';
import { PLACEHOLDERS } from '../webhooks/delivery-report.ts';

const ID = '0192e4a0-0000-7000-8000-000000000001';
const AT = '2026-11-20T23:10:05.999123+00:00';

const SESSION: ChatFacts = { at: AT, kind: 'interactive', template: null, campaign: null, clientRef: null };

function told(change: Partial<EventMessage> = {}): EventMessage {
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

test('a change of status shows the message, its template and what the gateway said', () => {
  expect(render(told()).event).toEqual({
    type: 'message.status',
    timestamp: '2026-11-20T23:10:05.999Z',
    data: {
      messageId: `${ID}:1`,
      from: '15550100001',
      to: '919800000001',
      status: 'Read',
      kind: 'template',
      messageType: 'template',
      templateName: 'order_update',
      language: 'en_US',
      campaignName: 'spring',
      clientRef: 'A-1',
      gatewayName: 'chat-simulator',
      errCode: '000',
      statusDescription: 'Message read',
      createdAt: '2026-11-20T23:10:00.123Z',
    },
  });
});

test('why a message failed is kept, also of one that no gateway had', () => {
  const expired = told({
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

test('a message that is with its gateway is sent, and one within a session has no template', () => {
  const { type, data } = render(told({ status: 'SUBMITTED', chat: SESSION })).event;
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
  'a message that a recipient wrote shows what it says, who wrote to whom, and that it answers %s',
  (replyTo) => {
    const chat = {
      at: AT,
      kind: 'text',
      content: { text: { body: 'YES "{{1}}"' } },
      chatAccountId: 7,
      replyTo,
    };
    expect(render(told({ status: 'RECEIVED', n: 0, chat })).event).toEqual({
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

test('every placeholder has its value in a header, the status as the event has it', () => {
  const headers = PLACEHOLDERS.map((name) => ({ key: `X-${name}`, value: `{{${name}}}` }));
  expect(render(told(), headers).headers).toEqual({
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
