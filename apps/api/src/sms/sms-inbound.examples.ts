import { INBOUND_ID } from '../docs/example-ids.ts';
import type { InboundView } from '../inbound/inbound.view.ts';

export const INBOUND: InboundView = {
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
