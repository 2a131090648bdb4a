import { onlyPage } from '../docs/described.ts';
import { answer } from '../http/answer.ts';
import { INBOUND_ID } from '../inbound/inbound.examples.ts';
import type { InboundView } from '../inbound/inbound.view.ts';

const INBOUND: InboundView = {
  id: INBOUND_ID,
  from: '919812345678',
  to: '15550100002',
  type: 'text',
  text: { body: 'YES' },
  context: null,
  gateway: 'smsc-1',
  sentAt: '2026-11-20T23:11:02.000Z',
  receivedAt: '2026-11-20T23:11:02.135Z',
};

export const LIST_ANSWER = onlyPage([INBOUND], 'message');

export const FOUND_ANSWER = answer(INBOUND, 'The message was found.');
