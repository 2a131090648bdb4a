import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { accept, addSender, newChat, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
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

test('messages of a send get their values again, which are decompressed once', async () => {
  await using t = await setup();
  const recipients = Array.from({ length: 100 }, (_, i) => String(919_800_000_000 + i));
  const custom = recipients.map(() => [randomBytes(1_000).toString('hex')]);
  const [bulk, single] = [await accept(t.db, { recipients, custom }), await accept(t.db)];
  const ids = [bulk.id, single.id];
  await fanOut(t.db, ids, 0);
  let pages = 0;
  const explain = async (text: string, values: unknown[]): Promise<unknown[]> => {
    const rows: { 'QUERY PLAN': [{ Plan: Record<string, number> }] }[] = await t.db.query(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    pages = rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks']!;
    return [];
  };

  await reclaim({ query: explain } as unknown as EntityManager, ids, 0);
  const { messages } = await reclaim(t.db, ids, 0);

  expect(pages).toBeLessThan(3_000);
  const valuesOf = (id: string, n: number) =>
    messages.find((message) => message.submissionId === id && message.n === n)?.custom;
  expect(valuesOf(single.id, 1)).toBeNull();
  expect(recipients.map((_, i) => valuesOf(bulk.id, i + 1))).toEqual(custom);
});

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
  await insertSubmitBatch(
    t.db,
    batch,
    [{ submissionId: id, n: 1, attempt: 1, isResent: true }],
    performance.now(),
  );

  expect((await reclaim(t.db, [id], 0)).messages).toMatchObject([{ n: 2, attempt: 2 }]);
  await deleteSubmitBatches(t.db, [batch.id]);
  expect((await reclaim(t.db, [id], 0)).messages).toMatchObject([
    { n: 1, attempt: 2 },
    { n: 2, attempt: 3 },
  ]);
});

test('a message is claimed with an older bulk, and only the bulk has more', async () => {
  await using t = await setup();
  const bulk = await accept(t.db, { recipients: numbers(FAN_OUT_CHUNK + 100) });
  const single = await accept(t.db);
  await fanOut(t.db, [bulk.id, single.id], 0);
  await fanOut(t.db, [bulk.id], 0);

  const { messages, unfinished } = await reclaim(t.db, [bulk.id, single.id], LEASE_SECONDS);

  expect(messages.map(({ submissionId }) => submissionId)).toContain(single.id);
  expect([messages.length, unfinished]).toEqual([FAN_OUT_CHUNK / 2 + 1, [bulk.id]]);
});

test('a bulk whose messages end, or are claimed to the last, is finished in steps', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, { recipients: numbers(FAN_OUT_CHUNK + 1) });
  await fanOut(t.db, [id], 0);
  await fanOut(t.db, [id], 0);
  await t.db.query('UPDATE submission SET cancelled_at = now()');

  const first = await reclaim(t.db, [id], LEASE_SECONDS);
  const second = await reclaim(t.db, [id], LEASE_SECONDS);

  expect([first.reportIds.length, first.unfinished]).toEqual([FAN_OUT_CHUNK, [id]]);
  expect([second.reportIds.length, second.unfinished]).toEqual([1, []]);
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

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(919_800_000_000 + i));
}

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
