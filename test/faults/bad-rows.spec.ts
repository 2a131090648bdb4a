import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { fanOutChat } from '@signalbox/database/chat/fan-out';
import { type NewInbound, insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type NewInboundSms, insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { type RecordedSubmit, recordChatSubmits, recordSubmits } from '@signalbox/database/messages/submits';
import { insertClicks, insertShortLinks } from '@signalbox/database/messages/short-links';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { type NewReport, applyReports, insertReports } from '@signalbox/database/reports/reports';
import { fanOutFairly } from '@signalbox/database/submissions/fair-fan-out';
import { reclaim } from '@signalbox/database/submissions/reclaim';
import { listReady } from '@signalbox/database/submissions/ready-batches';
import { type NewSubmission, fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { type MadeCode, storeCodes } from '@signalbox/database/verify/codes';
import type { NewStep } from '@signalbox/database/verify/steps';
import { type CodeAttempt, decideAttempts } from '@signalbox/database/verify/attempts';
import { lockQuotas } from '@signalbox/database/verify/quotas';
import {
  type NewVerification,
  insertVerifications,
  lockNumbers,
} from '@signalbox/database/verify/verifications';
import { type PushOutcome, recordPushes } from '@signalbox/database/webhooks/pushes';
import { bisect } from '@signalbox/runtime/bisect';
import {
  type TestRows,
  addSender,
  newChat,
  newInbound,
  newReport,
  newSubmission,
  newVerification,
  openRows,
} from '@signalbox/test/rows';

/** Rows of a batch, of several accounts; one of them is bad. */
const BATCH = 500;
const PLACE = 277;
const ACCOUNTS = Array.from({ length: 7 }, () => randomUUIDv7());
const NUL = 'a\u0000b';
const STEP: NewStep = {
  step: 1,
  channel: 'sms',
  afterSeconds: 0,
  stopsOnDelivery: false,
  submissionId: null,
  skipReason: 'no sender',
  later: null,
};
const NO_TIMES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

const rows = await openSharedRows();

/** A batch with one bad row among good ones. */
function batchOf<Row>(good: (i: number, accountId: string) => Row, bad: Partial<Row>): Row[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const row = good(i, ACCOUNTS[i % ACCOUNTS.length]!);
    return i === PLACE ? { ...row, ...bad } : row;
  });
}

/** Stores a batch as a group commit does. @returns the rows that were refused */
async function refusedOf<Row>(
  batch: Row[],
  store: (part: Row[]) => Promise<unknown>,
): Promise<(Row | undefined)[]> {
  return (await bisect(batch, store, isRefusedValue)).map(({ item }) => item);
}

async function count(table: string): Promise<number> {
  const [row]: { count: number }[] = await rows.db.query(`SELECT count(*)::integer AS count FROM ${table}`);
  return row!.count;
}

/** Expects that all of a batch but the bad row is stored. */
async function expectOthersStored<Row>(
  table: string,
  batch: Row[],
  store: (part: Row[]) => Promise<unknown>,
): Promise<void> {
  const before = await count(table);
  expect(await refusedOf(batch, store)).toEqual([batch[PLACE]]);
  expect((await count(table)) - before).toBe(BATCH - 1);
}

test.each<[string, Partial<NewSubmission>]>([
  ['a text has U+0000', { sender: NUL }],
  ['a JSON text has U+0000', { content: { text: NUL, unicode: false, flash: false } }],
  ['a number is out of range', { credits: 40_000 }],
  ['it has no recipient', { recipients: [] }],
  ['its lane is unknown', { lane: 'LATER' as 'OTP' }],
  ['its values are no numbers', { creditsEach: ['one' as unknown as number] }],
])('one submission alone is refused when %s', (_name, bad) =>
  expectOthersStored(
    'submission',
    batchOf((_i, accountId) => newSubmission({ accountId }), bad),
    (part) => insertSubmissions(rows.db, part),
  ),
);

test.each<[string, Partial<NewReport>]>([
  ['a text has U+0000', { description: NUL }],
  ['its status is unknown', { status: 'LOST' as 'SENT' }],
  ['its number is out of range', { n: 2 ** 40 }],
])('one report alone is refused when %s', (_name, bad) =>
  expectOthersStored(
    'message_event',
    batchOf(() => newReport(randomUUIDv7()), bad),
    (part) => insertReports(rows.db, part),
  ),
);

test('one callback alone is refused when its gateway has U+0000', () =>
  expectOthersStored(
    'callback',
    batchOf(() => ({ id: randomUUIDv7(), gateway: 'chat', body: Buffer.from('{}') }), { gateway: NUL }),
    (part) => insertCallbacks(rows.db, part),
  ));

test('one short link alone is refused when its number is out of range', () =>
  expectOthersStored(
    'short_link',
    batchOf(
      (i, accountId) => ({ code: `code${i}`, accountId, submissionId: randomUUIDv7(), n: 1, link: 1 }),
      { link: 99_999 },
    ),
    (part) => insertShortLinks(rows.db, part, 90),
  ));

test('one click alone is refused when its number is out of range', () =>
  expectOthersStored(
    'short_link_click',
    batchOf(
      (_i, accountId) => ({
        accountId,
        submissionId: randomUUIDv7(),
        n: 1,
        link: 1,
        kind: 'person' as const,
        clickedAt: new Date(),
      }),
      { link: 99_999 },
    ),
    (part) => insertClicks(rows.db, part),
  ));

test.each<[string, Partial<NewInbound>]>([
  ['its text has U+0000', { content: { text: { body: NUL } } }],
  ['the message that it answers is out of range', { replyTo: { submissionId: randomUUIDv7(), n: 2 ** 40 } }],
])('one inbound message alone is refused when %s', async (_name, bad) => {
  const to = String(15_550_200_000 + Math.floor(Math.random() * 90_000));
  await addSender(rows.db, ACCOUNTS[0]!, to);
  const inbound = (i: number): NewInbound => newInbound({ from: String(919_800_000_000 + i), to });
  await expectOthersStored('inbound_message', batchOf(inbound, bad), (part) => insertInbounds(rows.db, part));
});

test.each<[string, Partial<PushOutcome>]>([
  ['its attempts are out of range', { attempts: 40_000 }],
  ['its delay is out of range', { nextDelayMs: 2 ** 40 }],
  ['its error has U+0000', { error: NUL }],
  ['its status is unknown', { status: 'LOST' as 'WAITING' }],
])('one push alone is refused when %s', (_name, bad) => {
  const outcome = (_i: number, accountId: string): PushOutcome => ({
    reportId: randomUUIDv7(),
    webhookId: randomUUIDv7(),
    accountId,
    status: 'WAITING',
    attempts: 1,
    nextDelayMs: 5_000,
    responseStatus: 500,
    error: 'http_status',
    durationMs: 5,
    timings: NO_TIMES,
    answer: '',
    requestHeaders: null,
    failedAttempt: false,
  });
  return expectOthersStored('push', batchOf(outcome, bad), (part) => recordPushes(rows.db, [], part));
});

test.each<[string, Partial<RecordedSubmit>]>([
  ['its id has U+0000', { gatewayMessageId: NUL }],
  ['its delay is a fraction', { retryAfterMs: 1.5 }],
  ['its delay is out of range', { retryAfterMs: 2 ** 40 }],
])('one answer of a gateway alone is refused when %s', async (_name, bad) => {
  await expectOtherAnswersRecorded(bad, recordSubmits);
  await expectOtherAnswersRecorded(bad, recordChatSubmits);
});

async function expectOtherAnswersRecorded(
  bad: Partial<RecordedSubmit>,
  record: typeof recordSubmits,
): Promise<void> {
  const ids = await acceptAll();
  await fanOut(rows.db, ids, 60);
  const answer = (i: number): RecordedSubmit => ({
    submissionId: ids[i]!,
    n: 1,
    result: 'sent',
    gatewayMessageId: 'id',
    retryAfterMs: 0,
  });

  const batch = batchOf(answer, bad);
  expect(await refusedOf(batch, (part) => record(rows.db, 'fake', part))).toEqual([batch[PLACE]]);

  expect(await countStatus(ids, 'SENT')).toBe(BATCH - 1);
}

test.each<[string, Partial<NewInboundSms>]>([
  ['its text has U+0000', { text: NUL }],
  ['its writer has U+0000', { from: NUL }],
])('one inbound SMS alone is refused when %s', (_name, bad) => {
  const inbound = (i: number, accountId: string): NewInboundSms => ({
    id: randomUUIDv7(),
    gateway: 'fake',
    gatewayMessageId: randomUUIDv7(),
    from: String(919_800_000_000 + i),
    to: '56070',
    text: 'Hello',
    givenTo: accountId,
    sentAt: new Date(),
    receivedAt: new Date(),
    consent: null,
  });
  return expectOthersStored('inbound_message', batchOf(inbound, bad), (part) =>
    insertInboundSms(rows.db, part),
  );
});

test.each<[string, Partial<MadeCode>]>([
  ['its message has U+0000', { submission: newSubmission({ sender: NUL }) }],
  ['its message has no recipient', { submission: newSubmission({ recipients: [] }) }],
  ['a step has U+0000', { steps: [{ ...STEP, skipReason: NUL }] }],
])('one code alone is refused when %s', async (_name, bad) => {
  const ids = await requestCodes();
  const code = (i: number, accountId: string): MadeCode => ({
    verifyId: ids[i]!,
    accountId,
    mac: Buffer.alloc(32),
    submission: newSubmission({ accountId }),
    steps: [STEP],
  });
  await expectOthersStored('submission', batchOf(code, bad), (part) => storeCodes(rows.db, part));
});

test('one try of a code alone is refused when its id is invalid', async () => {
  const ids = await requestCodes();
  const blinded = Buffer.alloc(32);
  const typed = (i: number, accountId: string): CodeAttempt => {
    return { verifyId: ids[i]!, accountId, blinded, blindedBefore: null };
  };
  const batch = batchOf(typed, { verifyId: 'none' });
  expect(await refusedOf(batch, (part) => decideAttempts(rows.db, part, blinded))).toEqual([batch[PLACE]]);
});

test.each<[string, Partial<NewVerification>]>([
  ['its country has U+0000', { country: NUL }],
  ['its tries are out of range', { maxAttempts: 40_000 }],
])('one request for a code alone is refused when %s', (_name, bad) => {
  const request = (i: number, accountId: string): NewVerification =>
    newVerification({ accountId, recipient: String(919_800_000_000 + i) });
  return expectOthersStored('verification', batchOf(request, bad), (part) =>
    insertVerifications(rows.db, part),
  );
});

test.each(['5', 'null', '{"at": 1}'])(
  'a list of a number or a quota that is %s is read as empty',
  async (value) => {
    const [accountId] = ACCOUNTS;
    const recipient = String(919_800_000_000 + PLACE);
    await rows.db.query(
      `INSERT INTO verification_number (account_id, recipient, sends) VALUES ($1, $2, $3)
     ON CONFLICT ON CONSTRAINT verification_number_pkey DO UPDATE SET sends = EXCLUDED.sends`,
      [accountId, recipient, value],
    );
    await rows.db.query(
      `INSERT INTO verification_quota (account_id, quota, uses) VALUES ($1, 'credits', $2)
     ON CONFLICT ON CONSTRAINT verification_quota_pkey DO UPDATE SET uses = EXCLUDED.uses`,
      [accountId, value],
    );

    const numbers = await lockNumbers(rows.db, [{ accountId: accountId!, recipient }]);
    const quotas = await lockQuotas(rows.db, [{ accountId: accountId!, quota: 'credits' }]);

    expect([numbers[0]!.sends, quotas[0]!.uses]).toEqual([[], []]);
  },
);

/** Requests a code for each row of a batch. @returns the ids */
async function requestCodes(): Promise<string[]> {
  const accounts = Array.from({ length: BATCH }, (_, i) => ACCOUNTS[i % ACCOUNTS.length]);
  const requested: { id: string }[] = await rows.db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at)
     SELECT uuidv7(), account_id, account_id, account_id, '919800000100', 'IN', false, 3, now() + interval '1 hour'
       FROM unnest($1::uuid[]) AS account_id
     RETURNING id`,
    [accounts],
  );
  return requested.map(({ id }) => id);
}

test('one report alone is left unapplied when its message is refused', async () => {
  await using own = await openRows();
  const ids = await acceptAll(own);
  await fanOut(own.db, ids, 60);
  const reports = ids.map((id) => newReport(id));
  await insertReports(own.db, reports);
  const bad = reports[PLACE]!;
  await own.db.query(
    `ALTER TABLE message ADD CONSTRAINT planted
       CHECK (submission_id <> '${bad.submissionId}' OR status = 'PENDING')`,
  );

  const reportIds = reports.map(({ id }) => id);
  expect(await refusedOf(reportIds, (part) => applyReports(own.db, part))).toEqual([bad.id]);

  expect(await countStatus(ids, 'DELIVERED', own)).toBe(BATCH - 1);
});

/** Columns of one submission, as no call of the API stores them. */
const PLANTED = [
  `content = 'null'`,
  `content = '5'`,
  `custom = '5'`,
  `custom = '{"a": 1}'`,
  `credits_each = '{1,2,3,4}'`,
  `credits_each = '{NULL}'`,
  `sealed = '\\x00'`,
];

test.each(PLANTED)(
  'a submission with %s is claimed with its batch, by its job and again',
  async (planted) => {
    await using own = await openRows();
    const ids = await acceptAll(own);
    await own.db.query(`UPDATE submission SET ${planted} WHERE id = $1`, [ids[PLACE]]);

    expect(await fanOut(own.db, ids, 0)).toHaveLength(BATCH);
    expect((await reclaim(own.db, ids, 60)).messages).toHaveLength(BATCH);
  },
);

test.each(PLANTED)('a submission with %s is claimed with its batch, by a fair round', async (planted) => {
  await using own = await openRows();
  const ids = await acceptAll(own);
  await own.db.query(`UPDATE submission SET ${planted} WHERE id = $1`, [ids[PLACE]]);

  await listReady(own.db, ['TRANS'], 'oldest');
  const share = { budget: 1_000, allowances: new Map<string, number>(), after: null, quiet: [] };
  expect((await fanOutFairly(own.db, 'TRANS', share, 60)).chunks).toHaveLength(BATCH);
});

test.each(PLANTED)('a chat-app submission with %s is claimed with its batch', async (planted) => {
  await using own = await openRows();
  const [accountId] = ACCOUNTS;
  await addSender(own.db, accountId!, undefined, 1_000);
  await own.db.query(`UPDATE chat_sender SET paced_until = now() - interval '1 hour'`);
  const chats = Array.from({ length: 20 }, (_, i) =>
    newChat({ accountId: accountId!, recipients: [String(919_800_000_000 + i)] }),
  );
  await insertSubmissions(own.db, chats);
  await own.db.query(`UPDATE submission SET ${planted} WHERE id = $1`, [chats[7]!.id]);

  const round = await fanOutChat(own.db, 'CHAT', { budget: 1_000, after: null, leaseSeconds: 60 });
  expect(round.messages).toHaveLength(chats.length);
});

/** Accepts a batch of SMS of several accounts. @returns their ids */
async function acceptAll({ db }: TestRows = rows): Promise<string[]> {
  const batch = batchOf((_i, accountId) => newSubmission({ accountId }), {});
  await insertSubmissions(db, batch);
  return batch.map(({ id }) => id);
}

async function countStatus(ids: string[], status: string, { db }: TestRows = rows): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `SELECT count(*)::integer AS count FROM message WHERE submission_id = ANY($1) AND status = $2`,
    [ids, status],
  );
  return row!.count;
}
