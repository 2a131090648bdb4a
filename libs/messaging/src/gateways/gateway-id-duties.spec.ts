import { expect, test } from '@jest/globals';
import { insertMessageIds } from '@signalbox/database/gateways/message-ids';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';
import type { InboundSegment } from '@signalbox/gateways/inbound-segments';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import { createLogger } from '@signalbox/runtime/logger';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, openSms } from '../../test/open-sms.ts';
import type { DutyContext, Sweep } from '../maintenance/duty.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { gatewayIdDuties } from './gateway-id-duties.ts';
import { DurableGatewayIds } from './gateway-ids.ts';
import { StoredInboundSegments } from './inbound-join.ts';

const RECIPIENTS = ['919800000001', '919800000002'];

test('silent segments agree with the others, but not for a message that has failed', async () => {
  await using t = await openSms(ACCEPTED);
  const { id } = await accept(t.db, { recipients: RECIPIENTS });
  await t.dispatcher.dispatch('TRANS', [id]);
  const ids = new DurableGatewayIds(t.db);
  const rowsOf = (n: number) =>
    [1, 2].map((segment) => ({
      gateway: 'smsc',
      gatewayMessageId: `${n}-${segment}`,
      submissionId: id,
      n,
      segment,
      segments: 2,
      recipient: RECIPIENTS[n - 1]!,
    }));
  await insertMessageIds(t.db, [...rowsOf(1), ...rowsOf(2)]);
  await ids.report(
    'smsc',
    [1, 2].map((n) => delivered(`${n}-1`, RECIPIENTS[n - 1]!)),
  );
  // the gateway refused its second segment
  await t.db.query(`UPDATE message SET status = 'FAILED' WHERE n = 2`);
  await t.db.query(`UPDATE gateway_message_id SET waiting_since = waiting_since - interval '11 minutes'`);

  const duty = gatewayIdDuties(5).find(({ name }) => name === 'settle silent segments')!;
  const providers = new Map<unknown, unknown>([[ReportIntake, t.intake]]);
  const context = { db: t.db, get: (token: unknown) => providers.get(token) } as unknown as DutyContext;
  if ('sweep' in duty) await duty.sweep(context);

  expect(await t.db.query('SELECT n, status FROM message_event')).toEqual([{ n: 1, status: 'DELIVERED' }]);
  expect(await t.db.query('SELECT FROM gateway_message_id WHERE waiting_since IS NOT NULL')).toEqual([]);
});

test('a pass hands over some 20 incomplete messages, and leaves the others to the next', async () => {
  await using t = await openSms(ACCEPTED);
  const segments = new StoredInboundSegments(t.db);
  const half: InboundSegment = {
    gatewayMessageId: '',
    from: '919800000001',
    to: '56161',
    text: 'half ',
    reference: 0,
    referenceBits: 8,
    position: 1,
    total: 2,
    sentAt: new Date(),
  };
  for (let reference = 0; reference < 25; reference += 1) await segments.add('smsc', { ...half, reference });
  await t.db.query(`UPDATE inbound_segment SET received_at = received_at - interval '31 minutes'`);
  const texts: unknown[] = [];
  const intake = { receive: async (_: string, [message]: GatewayInbound[]) => texts.push(message?.content) };
  const context = {
    db: t.db,
    logger: createLogger('test', 'silent'),
    get: () => intake,
  } as unknown as DutyContext;

  const duty = gatewayIdDuties(5).find(({ name }) => name === 'hand over incomplete messages')! as Sweep;

  expect(await duty.sweep(context)).toBe(20);
  expect(await duty.sweep(context)).toBe(5);
  expect(await duty.sweep(context)).toBe(0);
  expect(texts).toEqual(Array.from({ length: 25 }, () => ({ text: { body: 'half …' } })));
});

test('a whole message whose worker died before it was stored is handed over', async () => {
  await using t = await openSms(ACCEPTED);
  const segments = new StoredInboundSegments(t.db);
  const part: InboundSegment = {
    gatewayMessageId: '',
    from: '919800000001',
    to: '56161',
    text: 'first ',
    reference: 0,
    referenceBits: 8,
    position: 1,
    total: 2,
    sentAt: new Date(),
  };
  await segments.add('smsc', part);
  const complete = await segments.add('smsc', { ...part, position: 2, text: 'second' });
  await t.db.query(`UPDATE inbound_segment SET received_at = received_at - interval '31 minutes'`);
  const received: unknown[] = [];
  const intake = { receive: async (_: string, messages: GatewayInbound[]) => received.push(...messages) };
  const context = {
    db: t.db,
    logger: createLogger('test', 'silent'),
    get: () => intake,
  } as unknown as DutyContext;
  const duty = gatewayIdDuties(5).find(({ name }) => name === 'hand over incomplete messages')! as Sweep;

  await duty.sweep(context);
  await duty.sweep(context);

  expect(received).toMatchObject([
    { gatewayMessageId: complete?.gatewayMessageId, content: { text: { body: 'first second' } } },
  ]);
});

function delivered(gatewayMessageId: string, recipient: string): SegmentReport {
  return {
    gatewayMessageId,
    recipient,
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: null,
    description: 'Message delivered',
    reportedAt: new Date(),
  };
}
