import { INBOUND_ID, MESSAGE_ID } from '../docs/example-ids.ts';
import type { InboundView } from './inbound.view.ts';

export const INBOUND: InboundView = {
  id: INBOUND_ID,
  chatAccountId: 100_002,
  from: '919812345678',
  to: '15550100002',
  type: 'text',
  text: { body: 'YES' },
  context: { messageId: MESSAGE_ID },
  gateway: 'chat-simulator',
  sentAt: '2026-11-20T23:11:02.000Z',
  receivedAt: '2026-11-20T23:11:02.135Z',
};

export const FOUND: InboundView = { ...INBOUND, context: null };

/** Bodies of POST /v1/simulator/inbound as /docs shows them. */
export const SIMULATED_BODIES = {
  'A word': {
    channel: 'chatapp',
    from: '919812345678',
    to: '15550100002',
    type: 'text',
    text: { body: 'Is my order on its way?' },
  },
  'No more messages': {
    channel: 'chatapp',
    from: '919812345678',
    to: '15550100002',
    type: 'text',
    text: { body: 'STOP' },
  },
  'A tapped button': {
    channel: 'chatapp',
    from: '919812345678',
    to: '15550100002',
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'today', title: 'Today' } },
  },
  'An SMS': {
    channel: 'sms',
    from: '919812345678',
    to: 'SIGNALBX',
    type: 'text',
    text: { body: 'YES' },
  },
};
