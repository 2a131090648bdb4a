import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { WAIT, describeGateway } from '../../test/gateway.conformance.ts';
import { sms as anySms } from '../../test/sms.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { SimulatorGateway } from './simulator.gateway.ts';

const SMS = anySms({ messageId: '1111', recipient: '919800001111' });

describeGateway<OutgoingSms>('SimulatorGateway', {
  open: () => {
    const gateway = new SimulatorGateway({ delayMs: 2 });
    const reports: GatewayReport[] = [];
    gateway.onReports(async (batch) => void reports.push(...batch));
    return { gateway, reports };
  },
  message: (fields) => ({ ...SMS, ...fields }),
});

/**
 * Builds an SMS to the number of a script; its id is the last four digits, so that assertions read as the script does.
 */
const sms = (digits: string, attempt = 1): OutgoingSms => ({
  ...SMS,
  messageId: digits,
  recipient: `91980000${digits}`,
  attempt,
});

/** Opens a simulator and collects its reports; the receiver rejects the first `failures` calls. */
function setup({ delayMs = 5, failures = 0 } = {}) {
  const gateway = new SimulatorGateway({ delayMs });
  const handed: GatewayReport[][] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let calls = 0;
  gateway.onReports(async (reports) => {
    calls += 1;
    await setImmediate(); // storing takes at least an event-loop tick
    if (calls <= failures) throw new Error('the database is unreachable');
    handed.push(reports);
    for (const { count, resolve } of waiting) if (handed.length >= count) resolve();
  });
  return {
    gateway,
    handed,
    calls: () => calls,
    said: () => handed.flat().map(({ messageId, status }) => `${messageId} ${status}`),
    /** Resolves when the receiver has stored `count` batches. */
    handOvers: (count: number) =>
      handed.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.push({ count, resolve })),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

test('a batch is accepted in its order and reported in one call', async () => {
  await using t = setup();
  const outcomes = await t.gateway.submit([sms('1111'), sms('0001'), sms('0002')], WAIT);
  expect(outcomes).toEqual(
    ['1111', '0001', '0002'].map((messageId) => ({ messageId, result: 'accepted', gatewayMessageIds: [] })),
  );
  expect(t.handed).toEqual([]);

  await t.handOvers(1);
  expect(t.handed[0]).toEqual([
    {
      messageId: '1111',
      status: 'DELIVERED',
      errCode: '000',
      description: 'Message delivered',
      reportedAt: expect.any(Date),
    },
    {
      messageId: '0001',
      status: 'FAILED',
      errCode: '001',
      description: 'Absent subscriber',
      reportedAt: expect.any(Date),
    },
    {
      messageId: '0002',
      status: 'FAILED',
      errCode: '002',
      description: 'Subscriber blocked',
      reportedAt: expect.any(Date),
    },
  ]);
});

test('without a delay the reports still follow the outcome of the submit', async () => {
  await using t = setup({ delayMs: 0 });
  await t.gateway.submit([sms('1111')], WAIT);
  expect(t.handed).toEqual([]);
  await t.handOvers(1);
});

test('0003 is throttled twice, then accepted', async () => {
  await using t = setup({ delayMs: 70 });
  const throttled = [{ messageId: '0003', result: 'throttled', scope: 'message', retryAfterMs: 70 }];
  expect(await t.gateway.submit([sms('0003', 1)], WAIT)).toEqual(throttled);
  expect(await t.gateway.submit([sms('0003', 2)], WAIT)).toEqual(throttled);
  expect(await t.gateway.submit([sms('0003', 3)], WAIT)).toEqual([
    { messageId: '0003', result: 'accepted', gatewayMessageIds: [] },
  ]);
  await t.gateway.close();
  expect(t.said()).toEqual(['0003 DELIVERED']);
});

test('a throttled message may be submitted again after 50 ms at the earliest', async () => {
  await using t = setup({ delayMs: 0 });
  expect(await t.gateway.submit([sms('0003')], WAIT)).toEqual([
    { messageId: '0003', result: 'throttled', scope: 'message', retryAfterMs: 50 },
  ]);
});

test('0004 is reported before its submit returns', async () => {
  await using t = setup();
  await t.gateway.submit([sms('1111'), sms('0004')], WAIT);
  expect(t.said()).toEqual(['0004 DELIVERED']);
});

test('0005 is reported twice, 0007 continues to Read, 0008 is followed by a late Sent', async () => {
  await using t = setup();
  await t.gateway.submit([sms('0005'), sms('0007'), sms('0008'), sms('1111')], WAIT);
  await t.handOvers(2);
  expect(t.said()).toEqual([
    '0005 DELIVERED',
    '0007 DELIVERED',
    '0008 DELIVERED',
    '1111 DELIVERED',
    '0005 DELIVERED',
    '0007 READ',
    '0008 SENT',
  ]);
});

test('0006 is never reported, not even after a query', async () => {
  await using t = setup();
  expect(await t.gateway.submit([sms('0006')], WAIT)).toEqual([
    { messageId: '0006', result: 'accepted', gatewayMessageIds: [] },
  ]);
  await t.gateway.query([{ messageId: '0006', recipient: '919800000006' }]);
  await t.gateway.close();
  expect(t.said()).toEqual([]);
});

test('0009 is unconfirmed after a delay and still delivered', async () => {
  await using t = setup({ delayMs: 30 });
  const startedAt = performance.now();
  const outcomes = await t.gateway.submit([sms('1111'), sms('0009')], WAIT);
  expect(performance.now() - startedAt).toBeGreaterThan(25);
  expect(outcomes).toEqual([
    { messageId: '1111', result: 'accepted', gatewayMessageIds: [] },
    { messageId: '0009', result: 'unconfirmed' },
  ]);
  await t.handOvers(1);
  expect(t.said()).toEqual(['1111 DELIVERED', '0009 DELIVERED']);
});

test('a receiver that rejects is called again with the same reports', async () => {
  await using t = setup({ delayMs: 0, failures: 1 });
  await t.gateway.submit([sms('0001')], WAIT);
  await t.handOvers(1);
  expect(t.calls()).toBe(2);
  expect(t.said()).toEqual(['0001 FAILED']);
});

test('close hands over delayed reports and refuses further messages', async () => {
  const t = setup({ delayMs: 60_000 });
  await t.gateway.submit([sms('0007')], WAIT);
  await t.gateway.close();
  expect(t.said()).toEqual(['0007 DELIVERED', '0007 READ']);
  expect(await t.gateway.submit([sms('1111')], WAIT)).toMatchObject([
    { result: 'throttled', scope: 'gateway' },
  ]);
});

test('close gives up on a receiver that always rejects', async () => {
  const t = setup({ delayMs: 60_000, failures: Infinity });
  await t.gateway.submit([sms('1111')], WAIT);
  await t.gateway.close();
  expect(t.said()).toEqual([]);
  expect(t.calls()).toBe(1);
});

test('query reports the end of messages that another simulator accepted', async () => {
  await using t = setup();
  const digits = ['0001', '0003', '0005', '0006', '0007', '0008', '1111'];
  await t.gateway.query(digits.map((messageId) => ({ messageId, recipient: `91980000${messageId}` })));
  await t.handOvers(1);
  expect(t.said()).toEqual([
    '0001 FAILED',
    '0003 DELIVERED',
    '0005 DELIVERED',
    '0007 READ',
    '0008 DELIVERED',
    '1111 DELIVERED',
  ]);
});

test('query does not hasten a report that is still pending', async () => {
  const t = setup({ delayMs: 60_000 });
  await t.gateway.submit([sms('1111')], WAIT);
  await t.gateway.query([{ messageId: '1111', recipient: '919800001111' }]);
  await t.gateway.close();
  expect(t.said()).toEqual(['1111 DELIVERED']);
});
