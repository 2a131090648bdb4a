import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ChatLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type TestRows, accept, addSender, newChat, openRows } from '@signalbox/test/rows';
import { type ChatRound, type ChatRoundLimits, fanOutChat } from './fan-out.ts';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { countReady } from '../submissions/ready.ts';
import { cancelSubmission } from '../submissions/progress.ts';
import { type NewSubmission, insertSubmissions, makeDueReady } from '../submissions/submissions.ts';

test('a message is taken once, whole, and claimed for the lease', async () => {
  await using t = await setup();
  const { id, accountId } = await t.accept({ sealed: Buffer.from('x') });

  expect(await t.take()).toEqual({
    messages: [
      {
        submissionId: id,
        n: 1,
        accountId,
        sender: '15550100001',
        recipient: '919800000100',
        kind: 'text',
        content: { text: { body: 'Hello' } },
        sealed: Buffer.from('x'),
        attempt: 1,
      },
    ],
    reportIds: [],
    left: 'nothing',
    after: null,
  });
  expect(await t.take()).toEqual({ messages: [], reportIds: [], left: 'nothing', after: null });
  expect(
    await t.db.query(
      `SELECT m.status, m.starts, m.claimed_until > now() AS claimed, m.recipient FROM message m`,
    ),
  ).toEqual([{ status: 'PENDING', starts: 1, claimed: true, recipient: '919800000100' }]);
});

test('concurrent workers claim each message once, and together keep the rate of the sender', async () => {
  await using t = await setup();
  await t.acceptMany(300);
  const [before] = await t.db.query('SELECT clock_timestamp() AS at');

  const rounds = [];
  for (let round = 0; round < 12; round += 1)
    rounds.push(...(await Promise.all(Array.from({ length: 4 }, () => t.take()))));

  const [after] = await t.db.query('SELECT clock_timestamp() AS at');
  const taken = rounds.flatMap((round) => round.messages.map((message) => message.submissionId));
  expect(new Set(taken).size).toBe(taken.length);
  expect(taken.length).toBeGreaterThanOrEqual(16);
  expect(taken.length).toBeLessThanOrEqual(20 + (80 * (after.at - before.at)) / 1_000);
  const [sender] = await t.db.query('SELECT paced_until AS "pacedUntil" FROM chat_sender');
  expect(sender.pacedUntil - before.at).toBeGreaterThanOrEqual((taken.length / 80) * 1_000 - 251);
});

test('messages leave tokens to codes, which are claimed before any backlog', async () => {
  await using t = await setup();
  await t.acceptMany(100);
  await t.accept({ lane: 'CHAT_OTP' });

  await t.atOneMoment(async (take) => {
    expect((await take()).messages).toHaveLength(16);
    expect(await take()).toMatchObject({ messages: [], left: 'paced' });
    expect((await take({}, 'CHAT_OTP')).messages).toHaveLength(1);
  });
});

test('a code waits for a locked sender, and a message skips it', async () => {
  await using t = await setup();
  await t.accept();
  await t.accept({ lane: 'CHAT_OTP' });
  let code: Promise<ChatRound> | undefined;

  await t.db.transaction(async (other) => {
    await other.query('UPDATE chat_sender SET messages_per_second = 79');
    expect(await t.take()).toMatchObject({ messages: [], left: 'paced' });
    code = t.take({}, 'CHAT_OTP');
    await waitFor(
      async () =>
        (
          await t.db.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        ).length > 0,
      {
        otherwise: 'the code did not wait',
      },
    );
  });

  expect((await code)?.messages).toHaveLength(1);
  expect(
    await t.db.query(`SELECT paced_until > 'epoch' AS charged, messages_per_second AS rate FROM chat_sender`),
  ).toEqual([{ charged: true, rate: 79 }]);
});

test('a sender of one message a second sends one, and still one code', async () => {
  await using t = await setup(1);
  await t.acceptMany(3);
  await t.accept({ lane: 'CHAT_OTP' });
  await t.accept({ lane: 'CHAT_OTP' });

  expect((await t.take()).messages).toHaveLength(1);
  expect((await t.take()).messages).toHaveLength(0);
  expect((await t.take({}, 'CHAT_OTP')).messages).toHaveLength(1);
  expect((await t.take({}, 'CHAT_OTP')).messages).toHaveLength(0);
  await t.db.query(`UPDATE chat_sender SET paced_until = paced_until - interval '2 seconds'`);
  expect((await t.take()).messages).toHaveLength(1);
});

test('a recipient gets a burst of 45 messages and then one each six seconds', async () => {
  await using t = await setup(1_000, 'stopped');
  await t.acceptMany(50, { recipients: ['919800000100'] });
  await t.acceptMany(1);

  const { messages, left } = await t.take();
  expect(messages).toHaveLength(46);
  expect(left).toBe('nothing');
  expect(await t.waits()).toEqual([6, 12, 18, 24, 30]);
  expect(await t.pairAhead()).toBe(300);

  await t.acceptMany(1, { recipients: ['919800000100'] });
  await t.take();
  expect(await t.waits()).toEqual([6, 12, 18, 24, 30, 36]);

  await t.passSeconds(13);
  expect((await t.take()).messages).toHaveLength(2);
  expect(await t.take()).toMatchObject({ messages: [], left: 'nothing' });
  expect(await t.waits()).toEqual([5, 11, 17, 23]);
  expect(await t.pairAhead()).toBe(306 - 13);
});

test('a pair that was idle for long has its burst again, and no more', async () => {
  await using t = await setup(1_000, 'stopped');
  await t.acceptMany(45, { recipients: ['919800000100'] });
  expect((await t.take()).messages).toHaveLength(45);
  await t.db.query(`UPDATE chat_pair SET paced_until = paced_until - interval '1 day'`);

  await t.acceptMany(46, { recipients: ['919800000100'] });
  expect((await t.take()).messages).toHaveLength(45);
  expect(await t.waits()).toEqual([6]);
});

test('a message that cannot be sent ends with a report and costs no pace', async () => {
  await using t = await setup();
  const cancelled = await t.accept();
  await cancelSubmission(t.db, t.accountId, 'chatapp', cancelled.id);
  const expired = await t.accept();
  await t.db.query(`UPDATE submission SET expires_at = now() WHERE id = $1`, [expired.id]);
  const optedOut = await t.accept({ recipients: ['919800000200'] });
  await upsertOptOuts(t.db, t.accountId, [
    {
      id: randomUUIDv7(),
      recipient: '919800000200',
      sender: '',
      source: 'api',
      reason: null,
      createdAt: new Date(),
    },
  ]);
  const code = await t.accept({ recipients: ['919800000200'], lane: 'CHAT_OTP' });
  const gone = await t.accept({ sender: '15550100009', sealed: Buffer.from('x') });
  await makeDueReady(t.db, 'chatapp');

  const { messages, reportIds } = await t.take();

  expect(messages).toEqual([]);
  expect(await t.endings()).toEqual([
    { id: cancelled.id, status: 'FAILED', errCode: '902', moved: true },
    { id: expired.id, status: 'FAILED', errCode: '901', moved: true },
    { id: optedOut.id, status: 'FAILED', errCode: '903', moved: true },
    { id: gone.id, status: 'FAILED', errCode: '904', moved: true },
  ]);
  expect(reportIds).toHaveLength(4);
  expect(await t.db.query(`SELECT paced_until = 'epoch' AS unpaced FROM chat_sender`)).toEqual([
    { unpaced: true },
  ]);
  expect(await t.db.query(`SELECT FROM chat_pair`)).toEqual([]);
  expect(await t.db.query(`SELECT FROM submission WHERE sealed IS NOT NULL`)).toEqual([]);
  expect((await t.take({}, 'CHAT_OTP')).messages.map((message) => message.submissionId)).toEqual([code.id]);
});

test("a number that has become another account's is not sent from", async () => {
  await using t = await setup();
  const { id } = await t.accept({ accountId: randomUUIDv7() });

  expect((await t.take()).messages).toEqual([]);
  expect(await t.endings()).toEqual([{ id, status: 'FAILED', errCode: '904', moved: true }]);
});

test('a message that waits for its pair and expires meanwhile ends when it expires', async () => {
  await using t = await setup(1_000, 'stopped');
  const [{ expiresAt }] = await t.db.query(`SELECT now() + interval '3 seconds' AS "expiresAt"`);
  await t.acceptMany(46, { recipients: ['919800000100'], expiresAt });
  await t.take();

  await t.passSeconds(4);
  await t.db.query(
    `UPDATE submission SET expires_at = expires_at - interval '4 seconds' WHERE fanned_out_at IS NULL`,
  );
  expect(await t.take()).toMatchObject({ messages: [], reportIds: [expect.any(String)], left: 'nothing' });
});

test('senders share a round, and with too many of them rounds take turns', async () => {
  await using t = await setup();
  const senders = ['15550100001', '15550100002', '15550100003', '15550100004', '15550100005'];
  for (const sender of senders.slice(1)) await addSender(t.db, t.accountId, sender);
  for (const sender of senders) await t.acceptMany(3, { sender });

  const first = await t.take({ budget: 2 });
  const second = await t.take({ budget: 2, after: first.after });
  const third = await t.take({ budget: 2, after: second.after });

  expect([first, second, third].map((round) => round.messages.map((message) => message.sender))).toEqual([
    senders.slice(0, 2),
    senders.slice(2, 4),
    [senders[4], senders[4]],
  ]);
  expect(third).toMatchObject({ left: 'ready', after: null });
  expect((await t.take()).messages).toHaveLength(9);
});

test('an outdated row does not end the rounds', async () => {
  await using t = await setup();
  const { id } = await t.accept();
  const next = await t.accept();
  await t.db.query('UPDATE submission SET fanned_upto = 1, fanned_out_at = now() WHERE id = $1', [id]);

  const first = await t.take({ budget: 1 });
  const second = await t.take({ budget: 1 });

  expect(first).toMatchObject({ messages: [], left: 'ready' });
  expect(second).toMatchObject({ messages: [{ submissionId: next.id }] });
});

test('the backlog of each lane is counted', async () => {
  await using t = await setup();
  await t.acceptMany(3);
  await t.accept({ lane: 'CHAT_OTP', waits: true });
  expect(await countReady(t.db, 'chatapp')).toEqual([
    { lane: 'CHAT_OTP', count: 0 },
    { lane: 'CHAT', count: 3 },
  ]);
});

/** @param clock `stopped`: all is done in one transaction, in which the clock of the database stands still */
async function setup(messagesPerSecond = 80, clock: 'running' | 'stopped' = 'running') {
  const rows: TestRows = await openRows();
  const moment = rows.db.connection.createQueryRunner();
  if (clock === 'stopped') await moment.startTransaction();
  const db = clock === 'stopped' ? moment.manager : rows.db;
  const accountId = randomUUIDv7();
  await addSender(db, accountId, '15550100001', messagesPerSecond);
  const takeFrom =
    (from: EntityManager) =>
    (share: Partial<ChatRoundLimits> = {}, lane: ChatLane = 'CHAT'): Promise<ChatRound> =>
      fanOutChat(from, lane, { budget: 500, after: null, leaseSeconds: LEASE_SECONDS, ...share });
  return {
    db,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      if (moment.isTransactionActive) await moment.rollbackTransaction();
      await moment.release();
      await rows[Symbol.asyncDispose]();
    },
    accountId,
    accept: (given: Partial<NewSubmission> = {}) => accept(db, newChat({ accountId, ...given })),
    acceptMany: (count: number, given: Partial<NewSubmission> = {}) =>
      insertSubmissions(
        db,
        Array.from({ length: count }, (_, i) =>
          newChat({ accountId, recipients: [String(919811100000 + i)], ...given }),
        ),
      ),
    take: takeFrom(db),
    /** By the clock of the database, which stands still within a transaction. */
    atOneMoment: (work: (take: ReturnType<typeof takeFrom>) => Promise<void>) =>
      db.transaction((transaction) => work(takeFrom(transaction))),
    /** Seconds until those that wait for their pair may go. */
    waits: async (): Promise<number[]> => {
      const waiting: { seconds: number }[] = await db.query(
        `SELECT round(extract(epoch FROM due_at - now()))::integer AS seconds FROM submission WHERE waits AND held_until = due_at ORDER BY 1`,
      );
      return waiting.map(({ seconds }) => seconds);
    },
    pairAhead: async (): Promise<number> => {
      const [pair] = await db.query(
        `SELECT extract(epoch FROM paced_until - now())::float8 AS ahead FROM chat_pair WHERE recipient = '919800000100'`,
      );
      return pair.ahead;
    },
    passSeconds: async (seconds: number): Promise<void> => {
      await db.query(
        `WITH s AS (UPDATE submission SET due_at = due_at - make_interval(secs => $1), held_until = held_until - make_interval(secs => $1)),
              c AS (UPDATE chat_sender SET paced_until = paced_until - make_interval(secs => $1))
         UPDATE chat_pair SET paced_until = paced_until - make_interval(secs => $1)`,
        [seconds],
      );
      await makeDueReady(db, 'chatapp');
    },
    endings: (): Promise<unknown[]> =>
      db.query(
        `SELECT m.submission_id AS id, m.status, m.err_code AS "errCode", r.id = m.moved_by[1] AS moved
           FROM message m JOIN message_event r USING (submission_id, n) ORDER BY m.submission_id`,
      ),
  };
}
