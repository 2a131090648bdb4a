import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { accept, addSender, newChat, openRows } from '@signalbox/test/rows';
import { fanOutChat } from '../chat/fan-out.ts';
import { insertPins } from '../gateways/pins.ts';
import { deleteSubmitBatches, insertSubmitBatch } from '../gateways/submit-batches.ts';
import { claimPinned, reclaim } from './reclaim.ts';
import { fanOut } from './submissions.ts';

const SENDER = '15550100001';

test.each(['CHAT', 'CHAT_OTP'] as const)('a retry in %s sends from a sender of the account', async (lane) => {
  await using t = await setup();
  const { id } = await t.startChat(lane);

  const { messages, reportIds } = await reclaim(t.db, [id], LEASE_SECONDS);

  expect([messages.length, reportIds]).toEqual([1, []]);
});

test.each(['CHAT', 'CHAT_OTP'] as const)(
  "a retry in %s fails when the sender has become another account's",
  async (lane) => {
    await using t = await setup();
    const { id } = await t.startChat(lane);
    await t.db.query(`DELETE FROM chat_sender`);
    await addSender(t.db, randomUUIDv7(), SENDER);

    const { messages, reportIds } = await reclaim(t.db, [id], LEASE_SECONDS);

    expect([messages, reportIds]).toEqual([[], [expect.any(String)]]);
    expect(await t.db.query(`SELECT status, err_code AS "errCode" FROM message`)).toEqual([
      { status: 'FAILED', errCode: '904' },
    ]);
  },
);

test("a message left to other workers fails when its sender has become another account's", async () => {
  await using t = await setup();
  const { id } = await t.startChat('CHAT');
  await insertPins(t.db, 'gateway', 'CHAT', [{ submissionId: id, n: 1, attempt: 1 }]);
  await t.db.query(`DELETE FROM chat_sender`);

  const claimed = await claimPinned(t.db, 'CHAT', ['gateway'], { limit: 1, leaseSeconds: LEASE_SECONDS });

  expect(claimed).toEqual({ messages: [], reportIds: [expect.any(String)] });
});

test('a retried SMS needs no registered sender', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], 0);

  expect((await reclaim(t.db, [id], LEASE_SECONDS)).messages).toHaveLength(1);
});

test('a message of a submit batch is claimed again only when the batch has ended', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });
  await fanOut(t.db, [id], 0);
  const batch = { id: randomUUIDv7(), gateway: 'fake', lane: 'TRANS' } as const;
  await insertSubmitBatch(t.db, batch, [{ submissionId: id, n: 1, attempt: 1, isResent: true }]);

  expect((await reclaim(t.db, [id], 0)).messages).toMatchObject([{ n: 2, attempt: 2 }]);
  await deleteSubmitBatches(t.db, [batch.id]);
  expect((await reclaim(t.db, [id], 0)).messages).toMatchObject([
    { n: 1, attempt: 2 },
    { n: 2, attempt: 3 },
  ]);
});

test('a claim that Postgres runs late takes no message over', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], 0);

  await noteSteadyHeartbeats(t.db, { lateByMs: 60_000 });
  expect((await reclaim(t.db, [id], LEASE_SECONDS)).messages).toEqual([]);
  await noteSteadyHeartbeats(t.db);
  expect((await reclaim(t.db, [id], LEASE_SECONDS)).messages).toHaveLength(1);
});

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const accountId = randomUUIDv7();
  await addSender(db, accountId, SENDER);
  return {
    ...rows,
    /** Accepts a message and claims it with a lease that ends immediately, as a worker that dies. */
    startChat: async (lane: 'CHAT' | 'CHAT_OTP') => {
      const submission = await accept(db, newChat({ accountId, lane, sender: SENDER }));
      await fanOutChat(db, lane, { budget: 1, after: null, leaseSeconds: 0 });
      return submission;
    },
  };
}
