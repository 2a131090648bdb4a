import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import {
  addSender,
  addWebhooks,
  newChat,
  newInbound,
  newReport,
  newSubmission,
  openRows,
} from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { fanOutChat } from '../chat/fan-out.ts';
import { insertInbounds } from '../chat/inbound-messages.ts';
import { recordSubmits } from '../messages/submits.ts';
import { recordPushes } from '../webhooks/pushes.ts';
import { insertReports } from '../reports/reports.ts';
import { Retention, deleteOldest } from './retention.ts';
import { fanOut, insertSubmissions } from '../submissions/submissions.ts';

const DAY_MS = 86_400_000;
const NO_TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

test('what ended longer ago than the days to keep is deleted with all that hangs on it', async () => {
  await using rows = await openRows();
  await sendAndReport(rows.db, 91);
  await sendAndReport(rows.db, 89);

  expect(await deleteOldest(rows.db, 90)).toBe(5);

  expect(await count(rows.db)).toEqual({
    submission: 1,
    message: 1,
    message_event: 1,
    push: 1,
    push_attempt: 1,
    inbound_message: 1,
  });
  expect(await deleteOldest(rows.db, 90)).toBe(0);
});

test('a submission that waits, or was sent a short while ago, stays however old its id', async () => {
  await using rows = await openRows();
  const waiting = newSubmission({ id: idAt(200) });
  const justSent = newSubmission({ id: idAt(200) });
  await insertSubmissions(rows.db, [waiting, justSent]);
  await fanOut(rows.db, [justSent.id], 10);

  await deleteOldest(rows.db, 90);

  expect(await count(rows.db)).toMatchObject({ submission: 2, message: 1 });
});

test('events of a template are kept for 366 days, or the days to keep if those are more', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(rows.db, accountId);
  await rows.db.query(
    `INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at, created_at,
                           updated_at)
     VALUES ($1, $1, $2, 'sale', 'en', 'PENDING', 'UTILITY', 1, now(), now(), now())`,
    [accountId, chatAccountId],
  );
  const ids = [401, 367, 365].map(idAt);
  await rows.db.query(
    `INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
     SELECT id, $1, $1, 1, 'approved', 'reviewer', now() FROM unnest($2::uuid[]) AS id`,
    [accountId, ids],
  );
  const left = () => rows.db.query(`SELECT id FROM template_event ORDER BY id`);

  await deleteOldest(rows.db, 400);
  expect(await left()).toEqual([{ id: ids[1] }, { id: ids[2] }]);
  await deleteOldest(rows.db, 90);
  expect(await left()).toEqual([{ id: ids[2] }]);
});

test('a chat user who was not seen for the days to keep is deleted, also without an old message', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await addSender(rows.db, accountId);
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn, seen_at)
     VALUES ($1, 'IN.a', '919800000001', now() - interval '92 days'),
            ($1, 'IN.b', '919800000002', now() - interval '90.5 days'),
            ($1, 'IN.c', '919800000003', now() - interval '89 days')`,
    [accountId],
  );

  expect(await deleteOldest(rows.db, 90)).toBe(1);

  expect(await rows.db.query('SELECT user_id FROM chat_user ORDER BY user_id')).toEqual([
    { user_id: 'IN.b' },
    { user_id: 'IN.c' },
  ]);
});

test('a pass reads at most 8 MB of a large table of chat users, and a later one the rest', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await addSender(rows.db, accountId);
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn, seen_at)
     SELECT $1, 'IN.' || i, repeat('1', 400), now() - CASE WHEN i % 2000 = 0 THEN interval '92 days' ELSE interval '0' END
       FROM generate_series(1, 40000) AS i`,
    [accountId],
  );
  const listOld = () => rows.db.query(`SELECT FROM chat_user WHERE seen_at < now() - interval '91 days'`);

  const readPages = await countPages(rows.db, (counted) => deleteOldest(counted, 90));
  while ((await listOld()).length > 0) await deleteOldest(rows.db, 90);

  expect(readPages).toBeLessThan(1_600); // of 2,200
});

test('a chat pair is deleted with its last message, unless the recipient wrote since', async () => {
  await using rows = await openRows();
  await addOldChats(rows.db, ['919800000001', '919800000002', '919800000003']);
  const age = (recipient: string, pacedDays: number, inboundDays: number | null): Promise<unknown> =>
    rows.db.query(
      `UPDATE chat_pair SET paced_until = now() - make_interval(days => $2), last_inbound_at = now() - make_interval(days => $3) WHERE recipient = $1`,
      [recipient, pacedDays, inboundDays],
    );
  await age('919800000001', 91, 91);
  await age('919800000002', 91, 1);
  await age('919800000003', 1, null);

  expect(await deleteOldest(rows.db, 90)).toBe(3);

  expect(await rows.db.query('SELECT recipient FROM chat_pair ORDER BY recipient')).toEqual([
    { recipient: '919800000002' },
    { recipient: '919800000003' },
  ]);
});

test('a chat pair whose pace ended just after its last message was sent is deleted with it', async () => {
  await using rows = await openRows();
  await addOldChats(rows.db, ['919800000001']);
  await rows.db.query(`UPDATE chat_pair SET paced_until = now() - interval '90 days' + interval '5 minutes'`);

  await deleteOldest(rows.db, 90);

  expect(await rows.db.query('SELECT FROM chat_pair')).toEqual([]);
});

test('the chat pairs of all identities of a writer are deleted with the last inbound message', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await addSender(rows.db, accountId, '15550100001');
  const write = (from: string, userId?: string) =>
    insertInbounds(rows.db, [newInbound({ id: idAt(91), from, to: '15550100001', userId })]);
  await write('919800000001', 'IN.a');
  await write('919800000001');
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn) VALUES ($1, 'IN.b', '919800000002')`,
    [accountId],
  );
  await write('919800000002');
  await rows.db.query(`UPDATE chat_pair SET last_inbound_at = now() - interval '91 days'`);
  expect(await count(rows.db)).toMatchObject({ inbound_message: 3 });

  await deleteOldest(rows.db, 90);

  expect(await rows.db.query('SELECT recipient FROM chat_pair')).toEqual([]);
});

test('a disk too slow for a full batch gets smaller ones, until all is deleted', async () => {
  await using rows = await openRows();
  const reports = Array.from({ length: 200 }, () => newReport(idAt(91), { id: idAt(91) }));
  await insertReports(rows.db, reports);
  await rows.db.query(
    `CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.003); RETURN OLD; END'`,
  );
  await rows.db.query(
    `CREATE TRIGGER slow BEFORE DELETE ON message_event FOR EACH ROW EXECUTE FUNCTION delay()`,
  );
  const retention = new Retention(90, 0);
  const errors: unknown[] = [];
  const pass = (): Promise<number> =>
    rows.db.transaction(async (db) => {
      await db.query(`SET LOCAL statement_timeout = '400ms'`);
      return retention.deleteSome(db, (table, error) => errors.push({ table, error }));
    });

  for (let left = reports.length; left > 0; ) left -= await pass();

  expect(errors).not.toEqual([]);
  expect(await count(rows.db)).toMatchObject({ message_event: 0 });
});

test('a table whose rows cannot be deleted stops no other, and rests', async () => {
  await using rows = await openRows();
  await sendAndReport(rows.db, 91);
  await rows.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
  );
  await rows.db.query(
    'CREATE TRIGGER refuse BEFORE DELETE ON message_event FOR EACH ROW EXECUTE FUNCTION refuse()',
  );
  const retention = new Retention(90);
  const failed: string[] = [];
  const pass = (): Promise<number> =>
    rows.db.transaction((db) => retention.deleteSome(db, (table) => failed.push(table)));

  await pass();
  await pass();

  expect(failed).toEqual(['message_event']);
  expect(await count(rows.db)).toMatchObject({ submission: 0, message_event: 1, push_attempt: 0 });
});

test.each([
  { results: ['throttled'], state: 'that may be sent' },
  { results: ['unconfirmed'], state: 'without an answer to its submit' },
  { results: ['throttled', 'sent'], state: 'that was sent late' },
] as const)('a submission with a message $state stays until long after it expires', async ({ results }) => {
  await using rows = await openRows();
  const submission = newSubmission({ id: idAt(91), expiresAt: new Date(Date.now() + DAY_MS) });
  await insertSubmissions(rows.db, [submission]);
  await fanOut(rows.db, [submission.id], 10);
  const submit = { submissionId: submission.id, n: 1, gatewayMessageId: null, retryAfterMs: 0 };
  for (const result of results) await recordSubmits(rows.db, 'smsc-1', [{ ...submit, result }]);
  await rows.db.query(
    `UPDATE submission SET fanned_out_at = now() - interval '91 days', expires_at = now() - interval '89 days'`,
  );

  expect(await deleteOldest(rows.db, 90)).toBe(0);
  await rows.db.query(`UPDATE submission SET expires_at = now() - interval '91 days'`);

  expect(await deleteOldest(rows.db, 90)).toBe(1);
});

test('runs that are too young to delete are not read', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'retention')`, [accountId]);
  await rows.db.query(
    `INSERT INTO message_cancellation (id, account_id, status, filter, from_id, before_id, total, examined, finished_at)
     SELECT uuidv7(), $1, 'DONE', '{}', uuidv7(), uuidv7(), 0, 0, now()
       FROM generate_series(1, 20000)`,
    [accountId],
  );

  expect(await countPages(rows.db, (counted) => deleteOldest(counted, 90))).toBeLessThan(150);
});

test('no webhook is read for pushes without a week while there are none', async () => {
  await using rows = await openRows();
  await addWebhooks(rows.db, randomUUIDv7(), 5_000);
  await rows.db.query('ANALYZE webhook');

  expect(await countPages(rows.db, (counted) => deleteOldest(counted, 90))).toBeLessThan(150);
});

test('old submissions that stay are not read again in each pass, and do not keep later ones', async () => {
  await using rows = await openRows();
  for (const first of [1, 15_001, 30_001]) await storeWaiting(rows.db, first, 15_000);
  await sendAndReport(rows.db, 91);
  await rows.db.query('VACUUM ANALYZE submission');
  const retention = new Retention(90);
  const pass = (): Promise<number> =>
    rows.db.transaction((db) => retention.deleteSome(db, (_, error) => expect(error).toBeUndefined()));

  const pages = await countPages(rows.db, (counted) => deleteOldest(counted, 90));
  const left: unknown[] = [];
  for (let i = 0; i < 3; i += 1) {
    await pass();
    left.push((await count(rows.db))['submission']);
  }

  expect(left).toEqual([45_001, 45_001, 45_000]);
  expect(pages).toBeLessThan(1_900); // all have 2,500
});

/** A message of some days ago that was reported and answered, and whose push failed. */
async function sendAndReport(db: EntityManager, daysAgo: number): Promise<void> {
  const submission = newSubmission({ id: idAt(daysAgo) });
  await insertSubmissions(db, [submission]);
  await fanOut(db, [submission.id], 10);
  await db.query(
    `UPDATE submission SET fanned_out_at = now() - make_interval(days => $2), expires_at = now() - make_interval(days => $2) WHERE id = $1`,
    [submission.id, daysAgo],
  );
  const report = newReport(submission.id, { id: idAt(daysAgo) });
  await insertReports(db, [report]);
  const [webhookId] = (await addWebhooks(db, submission.accountId, 1)) as [string];
  const push = {
    reportId: report.id,
    webhookId,
    accountId: submission.accountId,
    attempts: 1,
    nextDelayMs: null,
  };
  const failure = {
    responseStatus: 500,
    error: 'status_500',
    durationMs: 3,
    timings: NO_TIMINGS,
    answer: '',
    requestHeaders: null,
    failedAttempt: true,
  };
  await recordPushes(db, [report.id], [{ ...push, ...failure, status: 'EXHAUSTED' }]);
  await db.query(
    `INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient, kind, content, sent_at)
     VALUES ($1::uuid, $2, 1, 'chat-simulator', gen_random_uuid()::text, '919800000100', '15550100001', 'text', '{}', now())`,
    [idAt(daysAgo), submission.accountId],
  );
  await db.query(`UPDATE push_attempt SET id = $1 WHERE report_id = $2`, [idAt(daysAgo), report.id]);
}

/** Stores submissions of 100 days ago that wait, one each second. */
async function storeWaiting(db: EntityManager, first: number, sends: number): Promise<void> {
  await db.query(
    `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, waits, due_at)
     SELECT uuidv7(interval '-100 days' + i * interval '1 second'), uuidv7(), 'sms', 'text', 'TRANS', 'SIGNALBX', '{}',
            '{919800000001}', 1, true, 'infinity'
       FROM generate_series($1::integer, $1 + $2 - 1) AS i`,
    [first, sends],
  );
}

function idAt(daysAgo: number): string {
  const time = (Date.now() - daysAgo * DAY_MS).toString(16).padStart(12, '0');
  const random = Array.from({ length: 12 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${random}`;
}

async function count(db: EntityManager): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['submission', 'message', 'message_event', 'push', 'push_attempt', 'inbound_message']) {
    const [row]: { n: number }[] = await db.query(`SELECT count(*)::integer AS n FROM ${table}`);
    counts[table] = row!.n;
  }
  return counts;
}

/** Stores chat-app messages of a new account to these recipients, sent 91 days ago. Returns the account. */
async function addOldChats(db: EntityManager, recipients: readonly string[]): Promise<string> {
  const accountId = randomUUIDv7();
  await addSender(db, accountId);
  await insertSubmissions(
    db,
    recipients.map((recipient) => newChat({ id: idAt(200), accountId, recipients: [recipient] })),
  );
  await fanOutChat(db, 'CHAT', { budget: 10, after: null, leaseSeconds: 10 });
  await db.query(
    `UPDATE submission SET fanned_out_at = now() - interval '91 days', expires_at = now() - interval '91 days'`,
  );
  return accountId;
}
