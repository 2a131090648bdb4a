import { expect, test } from '@jest/globals';
import { insertPins } from '@signalbox/database/gateways/pins';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { accept, newGateway } from '@signalbox/test/rows';
import { openSms } from '../../test/open-sms.ts';

/** Half a second of the rate, less what promotions and transactions leave to codes. */
const BURST = 41;

test('messages that are submitted again keep to the rate of a lone gateway', async () => {
  await using t = await setup();
  const id = await t.claimedBefore();

  await t.retry('TRANS', [id]);

  expect(t.gateway.submitted.length).toBeGreaterThanOrEqual(BURST - 1);
  expect(t.gateway.submitted.length).toBeLessThan(60);
  const delays = t.jobs.map(({ delayMs }) => delayMs ?? 0);
  expect(Math.max(...delays)).toBeGreaterThan(1_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(2_000);
});

test('messages that another worker released keep to the rate of a lone gateway', async () => {
  await using t = await setup();
  const id = await t.claimedBefore();
  const claims = Array.from({ length: 200 }, (_, i) => ({ submissionId: id, n: i + 1, attempt: 1 }));
  await insertPins(t.db, 'fake', 'TRANS', claims);

  await t.dispatcher.dispatchPinned('TRANS', ['fake']);

  expect(t.gateway.submitted.length).toBeGreaterThanOrEqual(BURST - 1);
  expect(t.gateway.submitted.length).toBeLessThan(60);
});

test('messages beyond the rate of a lone gateway do not pause the lanes', async () => {
  await using t = await setup();
  const id = await t.claimedBefore();

  const retried = await t.dispatcher.retry('TRANS', [id]);

  const submitted = t.gateway.submitted.length;
  expect(retried).toMatchObject({ pauseMs: 0 });
  expect(retried).toMatchObject({ submitted, taken: submitted });
  expect(retried.throttled).toBeGreaterThan(100);
});

test('codes and new messages are submitted between those that are submitted again', async () => {
  await using t = await setup({ ratePerSecond: 4 });
  const again = await t.claimedBefore();
  const submitted = (ofThem: boolean): number =>
    t.gateway.submitted.filter(({ messageId }) => messageId.startsWith(again) === ofThem).length;
  const retryUntil = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) await t.lanes.serve('TRANS', { ids: [again], isRetry: true }, 0);
  };
  await retryUntil(() => submitted(true) > 10);

  await t.lanes.serve('TRANS', { ids: [(await accept(t.db)).id] }, 0);
  for (let i = 0; i < 3; i += 1)
    await t.lanes.serve('OTP', { ids: [(await accept(t.db, { lane: 'OTP' })).id] }, 0);
  await retryUntil(() => submitted(true) > 80 || submitted(false) === 4);

  expect(submitted(false)).toBe(4);
});

test('a lone gateway that paces itself gets all messages', async () => {
  await using t = await setup({ pacesItself: true });
  const id = await t.claimedBefore();

  await t.retry('TRANS', [id]);

  expect(t.gateway.submitted).toHaveLength(200);
});

/** One gateway, by default of 100 messages a second. */
async function setup({ pacesItself = false, ratePerSecond = 100 } = {}) {
  const t = await openSms();
  t.gateway.keepsRate = pacesItself;
  t.gateways.follow([newGateway('fake', { ratePerSecond })]);
  return {
    ...t,
    /** Accepts 200 messages, which a worker claimed that died. @returns the submission */
    claimedBefore: async (): Promise<string> => {
      const recipients = Array.from({ length: 200 }, (_, i) => String(919_800_000_000 + i));
      const { id } = await accept(t.db, { recipients });
      await fanOut(t.db, [id], LEASE_SECONDS);
      await t.db.query('UPDATE message SET claimed_until = now()');
      return id;
    },
  };
}
