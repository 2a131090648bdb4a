import type { DeliveryReport } from '@signalbox/domain/delivery-report';

const MESSAGE_ID = '00000000-0000-7000-8000-000000000000:1';
const AT = new Date('2026-01-01T00:00:00.000Z');

/** A report that nobody takes for a real one. */
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

/** An event of a chat-app message that was never sent, of the first kind that the webhook wants. */
export function chatSample([type = 'message.status']: readonly string[]): object {
  const data = { messageId: MESSAGE_ID, from: '15550100001', to: SAMPLE_REPORT.mobileNumber, status: 'Delivered' };
  return { type, timestamp: AT.toISOString(), data };
}
