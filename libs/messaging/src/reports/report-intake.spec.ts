import { expect, test } from '@jest/globals';
import { messageId } from '@signalbox/domain/message-id';
import type { ReceiveReports } from '@signalbox/gateways/gateway';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, FakeSmsGateway, openSms } from '../../test/open-sms.ts';

class ReportingGateway extends FakeSmsGateway {
  report: ReceiveReports | undefined;

  override onReports(receive: ReceiveReports): void {
    this.report = receive;
  }
}

test('reports about codes that come on a connection are enqueued to their own queue', async () => {
  const gateway = new ReportingGateway(ACCEPTED, 'smsc');
  await using t = await openSms(ACCEPTED, gateway);
  const [code, other] = [await accept(t.db, { lane: 'OTP' }), await accept(t.db, { lane: 'TRANS' })];
  const delivered = { status: 'DELIVERED' as const, errCode: '000', description: '', reportedAt: new Date() };

  await gateway.report?.([code, other].map(({ id }) => ({ ...delivered, messageId: messageId(id, 1) })));

  const [ofCode] = await t.db.query('SELECT id FROM message_event WHERE is_code');
  expect(t.idsOf(REPORT_QUEUES.OTP)).toEqual([ofCode.id]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(1);
});
