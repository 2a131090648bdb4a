import { MESSAGE_ID } from '../docs/example-ids.ts';
import { INBOUND } from '../inbound/inbound.examples.ts';
import { MESSAGE } from '../messages/messages.examples.ts';
import type { ConversationView, ThreadEntry } from './conversations.view.ts';

const LAST = { ...INBOUND, to: '15550100001' };

export const CONVERSATIONS: ConversationView[] = [
  {
    sender: '15550100001',
    recipient: '919812345678',
    channel: 'chatapp',
    lastInbound: LAST,
    lastInboundAt: LAST.receivedAt,
    sessionOpenUntil: '2026-11-21T23:11:02.000Z',
    lastMessage: { messageId: MESSAGE_ID, status: 'Read' },
    isAnswered: false,
  },
];

export const THREAD: ThreadEntry[] = [
  { at: LAST.receivedAt, direction: 'in', inbound: LAST, message: null, content: null },
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
