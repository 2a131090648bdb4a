import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import { countPages } from '@signalbox/test/count-pages';
import { insertLargeSends, newSubmission, openRows } from '@signalbox/test/rows';
import { type MessageFilter, listMessages } from './list.ts';
import { fanOut, insertSubmissions } from '../submissions/submissions.ts';
import { deleteOldest } from '../ops/retention.ts';

const ACCOUNT = '01900000-0000-7000-8000-00000000000a';
const OTHER = '01900000-0000-7000-8000-00000000000b';
const START = Date.UTC(2026, 0, 1);
const COUNT = 60;
/** Maximum pages of tables and indexes that a page of 50 messages reads: a few for each, and those of one large send. */
const FEW_PAGES = 400;

/** A message as the table of expectations knows it. */
interface Known {
  key: MessageKey;
  at: number;
  values: Record<string, unknown>;
}

let known: Known[];

/**
 * Submissions of two accounts, an hour between each, with all that filters ask for: some wait whole, some in part, the
 * rest have each status.
 */
const rows = await openSharedRows();

beforeAll(async () => {
  const submissions = Array.from({ length: COUNT }, (_, i) =>
    newSubmission({
      id: `${idTime(START + i * 3_600_000)}-7000-8000-${String(i).padStart(12, '0')}`,
      accountId: i % 10 === 9 ? OTHER : ACCOUNT,
      recipients: Array.from({ length: i % 20 === 3 ? 700 : (i % 3) + 1 }, (__, n) =>
        String(919800000000 + ((i * 7 + n * 3) % 11)),
      ),
      campaign: i % 4 === 0 ? `campaign ${i % 3}` : null,
      clientRef: i % 5 === 0 ? `ref ${i % 2}` : null,
      sender: i % 6 === 0 ? 'OTHER' : 'SIGNALBX',
    }),
  );
  await insertSubmissions(rows.db, submissions);
  await rows.db.query(
    `UPDATE submission SET accepted_at = to_timestamp($1) + substr(id::text, 30)::integer * interval '1 hour'`,
    [START / 1000],
  );
  const chat = submissions.filter((_, i) => i % 8 === 5).map((submission) => submission.id);
  const done = submissions.filter((_, i) => i % 7 !== 6);
  for (const submission of done) await fanOut(rows.db, [submission.id], LEASE_SECONDS);
  await rows.db.query(
    `UPDATE message SET status = (ARRAY['SENT', 'DELIVERED', 'READ', 'FAILED', 'PENDING'])[1 + abs(hashtext(submission_id::text || n)) % 5]`,
  );
  await rows.db.query(
    `UPDATE message
        SET failed_at = CASE WHEN status = 'FAILED' OR n % 3 = 0 THEN now() END,
            read_at = CASE WHEN status = 'READ' THEN now() END,
            err_code = CASE status WHEN 'FAILED' THEN '00' || (1 + n % 2) ELSE '000' END,
            gateway = CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END`,
  );
  await rows.db.query(`UPDATE submission SET channel = 'chatapp', lane = 'CHAT' WHERE id = ANY($1)`, [chat]);
  const states: { id: string; n: number; status: string; errCode: string; gateway: string }[] =
    await rows.db.query(`SELECT submission_id AS id, n, status, err_code AS "errCode", gateway FROM message`);
  const stateOf = new Map(states.map(({ id, n, ...state }) => [messageId(id, n), state]));
  known = submissions
    .filter(({ accountId }) => accountId === ACCOUNT)
    .flatMap(({ id, recipients, campaign, clientRef, sender }) =>
      recipients.map((recipient, i) => ({
        key: { submissionId: id, n: i + 1 },
        at: START + Number(id.slice(-12)) * 3_600_000,
        values: {
          recipient,
          campaign,
          clientRef,
          sender,
          submissionId: id,
          channel: chat.includes(id) ? 'chatapp' : 'sms',
          ...(stateOf.get(messageId(id, i + 1)) ?? { status: 'PENDING', errCode: null, gateway: null }),
        },
      })),
    );
});

function idTime(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Returns the ids that a filter should find, newest first, by comparing every message. */
function expected({ from, to, statuses, ...same }: MessageFilter): string[] {
  return known
    .filter(({ values }) => !statuses || statuses.includes(values['status'] as MessageStatus))
    .filter(({ at }) => (!from || at >= from.getTime()) && (!to || at < to.getTime()))
    .filter(({ values }) =>
      Object.entries(same).every(([name, value]) => value === undefined || values[name] === value),
    )
    .toSorted((a, b) => b.key.submissionId.localeCompare(a.key.submissionId) || b.key.n - a.key.n)
    .map(({ key }) => messageId(key.submissionId, key.n));
}

/** All pages of a filter, one behind the other. */
async function listAll(filter: MessageFilter, limit: number): Promise<string[]> {
  const found: string[] = [];
  let before: MessageKey | undefined;
  for (let page = 0; page < 2_000; page += 1) {
    const { messages, next } = await listMessages(rows.db, ACCOUNT, filter, limit, before);
    expect(messages.length).toBeLessThanOrEqual(limit);
    found.push(...messages.map(({ submissionId, n }) => messageId(submissionId, n)));
    if (!next) return found;
    before = next;
  }
  throw new Error('the pages do not end');
}

const hour = (hours: number): Date => new Date(START + hours * 3_600_000);
const id = (i: number): string =>
  known.find(({ key }) => Number(key.submissionId.slice(-12)) === i)!.key.submissionId;

test.each<[string, () => MessageFilter]>([
  ['nothing', () => ({})],
  ['a recipient', () => ({ recipient: '919800000003' })],
  ['a recipient who got nothing', () => ({ recipient: '919800000999' })],
  ['PENDING', () => ({ statuses: ['PENDING'] })],
  ['SENT', () => ({ statuses: ['SENT'] })],
  ['DELIVERED', () => ({ statuses: ['DELIVERED'] })],
  ['READ', () => ({ statuses: ['READ'] })],
  ['FAILED', () => ({ statuses: ['FAILED'] })],
  ['two statuses', () => ({ statuses: ['SENT', 'FAILED'] })],
  ['a status and an errCode that it never has', () => ({ statuses: ['SENT'], errCode: '001' })],
  ['an errCode', () => ({ errCode: '002' })],
  ['errCode 000', () => ({ errCode: '000' })],
  ['a gateway', () => ({ gateway: 'even' })],
  [
    'a recipient, a gateway and an errCode',
    () => ({ recipient: '919800000003', gateway: 'odd', errCode: '002' }),
  ],
  ['a campaign', () => ({ campaign: 'campaign 1' })],
  ['a reference', () => ({ clientRef: 'ref 1' })],
  ['a sender', () => ({ sender: 'OTHER' })],
  ['chat-app messages', () => ({ channel: 'chatapp' })],
  ['SMS', () => ({ channel: 'sms' })],
  ['a recipient of chat-app messages', () => ({ recipient: '919800000003', channel: 'chatapp' })],
  ['FAILED chat-app messages', () => ({ statuses: ['FAILED'], channel: 'chatapp' })],
  ['a campaign and a channel', () => ({ campaign: 'campaign 0', channel: 'sms' })],
  ['a reference and a channel', () => ({ clientRef: 'ref 1', channel: 'chatapp' })],
  ['a submission of another channel', () => ({ submissionId: id(23), channel: 'chatapp' })],
  ['a small submission', () => ({ submissionId: id(5) })],
  ['a large submission', () => ({ submissionId: id(23) })],
  ['a submission that is fanned out in part', () => ({ submissionId: id(43) })],
  ['a time', () => ({ from: hour(10), to: hour(20) })],
  ['from a time on', () => ({ from: hour(50) })],
  ['up to a time', () => ({ to: hour(7) })],
  ['a recipient and PENDING', () => ({ recipient: '919800000003', statuses: ['PENDING'] })],
  ['a recipient and a submission', () => ({ recipient: '919800000003', submissionId: id(23) })],
  ['a recipient and a time', () => ({ recipient: '919800000003', from: hour(3), to: hour(42) })],
  ['a submission and FAILED', () => ({ submissionId: id(23), statuses: ['FAILED'] })],
  ['a submission and another campaign', () => ({ submissionId: id(23), campaign: 'campaign 1' })],
  ['a campaign and FAILED', () => ({ campaign: 'campaign 1', statuses: ['FAILED'] })],
  ['a reference and a campaign', () => ({ clientRef: 'ref 0', campaign: 'campaign 0' })],
  [
    'FAILED, a sender and a time',
    () => ({ statuses: ['FAILED'], sender: 'OTHER', from: hour(3), to: hour(55) }),
  ],
])('pages of %s hold all that matches, each once, newest first', async (_, filter) => {
  const all = expected(filter());

  for (const limit of [7, 200]) expect(await listAll(filter(), limit)).toEqual(all);
});

test('another tenant sees only its own messages, even with the id of a foreign submission', async () => {
  const { messages } = await listMessages(rows.db, OTHER, {}, 200);

  expect(messages.length).toBeGreaterThan(0);
  expect(messages.every(({ submissionId }) => Number(submissionId.slice(-12)) % 10 === 9)).toBe(true);
  expect(await listMessages(rows.db, OTHER, { submissionId: id(5) }, 200)).toEqual({
    messages: [],
    next: null,
  });
});

test('a page examines a bounded number of messages, and says where to continue', async () => {
  const far = newSubmission({ accountId: OTHER, sender: 'RARE' });
  const near = newSubmission({
    accountId: OTHER,
    recipients: Array.from({ length: 5_000 }, (_, n) => String(919811100000 + n)),
    campaign: 'x',
  });
  await insertSubmissions(rows.db, [far]);
  await insertSubmissions(rows.db, [near]);

  const first = await listMessages(rows.db, OTHER, { statuses: ['SENT'], campaign: 'x' }, 50);

  expect(first).toEqual({ messages: [], next: { submissionId: near.id, n: 4_001 } });
  expect((await listMessages(rows.db, OTHER, { sender: 'RARE' }, 50)).messages).toMatchObject([
    { submissionId: far.id },
  ]);
});

test('a page of a recipient examines more waiting sends than it has messages', async () => {
  const accountId = newSubmission().accountId;
  const sends = Array.from({ length: 20 }, (_, i) =>
    newSubmission({
      accountId,
      recipients: [i === 0 ? '919822200000' : '919822200001'],
      sendAt: new Date(Date.now() + 3_600_000),
      waits: true,
    }),
  );
  await insertSubmissions(rows.db, sends);

  const { messages, next } = await listMessages(rows.db, accountId, { recipient: '919822200000' }, 1);

  expect(messages).toMatchObject([{ submissionId: sends[0]!.id }]);
  expect(next).toBeNull();
});

test('a page of a recipient reads no waiting send to another', async () => {
  await using own = await openRows();
  const { accountId } = newSubmission();
  const send = { accountId, sendAt: new Date(Date.now() + 3_600_000), waits: true };
  const [one, several] = [
    newSubmission({ ...send, recipients: ['919822200000'] }),
    newSubmission({ ...send, recipients: ['919822200001', '919822200000'] }),
  ];
  await insertSubmissions(own.db, [one, several]);
  const others = Array.from({ length: 3_000 }, () =>
    newSubmission({ ...send, recipients: ['919822200001'] }),
  );
  await insertSubmissions(own.db, others);
  await own.db.query('VACUUM ANALYZE submission');
  const list = (db: EntityManager) => listMessages(db, accountId, { recipient: '919822200000' }, 50);

  const { messages, next } = await list(own.db);

  // their ids are of one millisecond, in which any may be the newer one
  expect(new Set(messages.map(({ submissionId, n }) => messageId(submissionId, n)))).toEqual(
    new Set([`${several.id}:2`, `${one.id}:1`]),
  );
  expect(next).toBeNull();
  expect(await countPages(own.db, list)).toBeLessThan(100);
});

test('a page of an account with large sends reads the recipients of those on it only', async () => {
  await using own = await openRows();
  const accountId = await insertLargeSends(own.db);
  const pagesWith = (filter: MessageFilter): Promise<number> =>
    countPages(own.db, (db) => listMessages(db, accountId, filter, 50));

  const pages = {
    all: await pagesWith({}),
    campaign: await pagesWith({ campaign: 'large' }),
    reference: await pagesWith({ clientRef: 'large' }),
    status: await pagesWith({ statuses: ['PENDING'] }),
    other: await pagesWith({ sender: 'OTHER' }),
  };

  expect(Object.entries(pages).filter(([, count]) => count > FEW_PAGES)).toEqual([]);
});

test('messages that retention has deleted are not listed', async () => {
  await using own = await openRows();
  const submission = newSubmission({
    id: `${idTime(START - 86_400_000 * 400)}-7000-8000-000000000001`,
    recipients: ['919800000001', '919800000002'],
  });
  await insertSubmissions(own.db, [submission]);
  await fanOut(own.db, [submission.id], LEASE_SECONDS);
  await own.db.query(`DELETE FROM message WHERE n = 2`);
  const recipientsOf = async () =>
    (await listMessages(own.db, submission.accountId, {}, 50)).messages.map(({ recipient }) => recipient);
  expect(await recipientsOf()).toEqual(['919800000001']);

  await own.db.query(
    `UPDATE submission SET fanned_out_at = now() - interval '400 days', expires_at = now() - interval '400 days'`,
  );
  await deleteOldest(own.db, 90);

  expect(await recipientsOf()).toEqual([]);
});
