import { MESSAGE_ID } from '../docs/example-ids.ts';
import { MESSAGE } from '../messages/messages.examples.ts';
import type { ConversationView, ThreadEntry } from './conversations.view.ts';

const INBOUND: ConversationView['lastInbound'] = {
  id: '019e6f0c-7b11-7d41-9c3d-0f6f2a7714e1',
  chatAccountId: 1,
  from: '919812345678',
  to: '15550100001',
  type: 'text',
  text: { body: 'YES' },
  context: { messageId: MESSAGE_ID },
  gateway: 'chat-simulator',
  sentAt: '2026-11-20T23:12:01.000Z',
  receivedAt: '2026-11-20T23:12:01.311Z',
};

export const CONVERSATIONS: ConversationView[] = [
  {
    sender: '15550100001',
    recipient: '919812345678',
    channel: 'chatapp',
    lastInbound: INBOUND,
    lastInboundAt: INBOUND.receivedAt,
    sessionOpenUntil: '2026-11-21T23:12:01.000Z',
    lastMessage: { messageId: MESSAGE_ID, status: 'Read' },
    isAnswered: false,
  },
];

export const THREAD: ThreadEntry[] = [
  { at: INBOUND.receivedAt, direction: 'in', inbound: INBOUND, message: null, content: null },
  {
    at: '2026-11-20T23:10:04.191Z',
    direction: 'out',
    inbound: null,
    message: {
      ...MESSAGE,
      channel: 'chatapp',
      sender: '15550100001',
      type: 'text',
      status: 'Read',
      gateway: 'chat-simulator',
    },
    content: {
      text: 'Do you want to keep your appointment?',
      isCode: false,
      encoding: null,
      flash: false,
      smsTemplateId: null,
      rendered: null,
    },
  },
];
