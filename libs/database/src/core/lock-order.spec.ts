import { expect, test } from '@jest/globals';
import { lockedBehind } from '@signalbox/test/locks';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { accept, addSender, newReport, newSubmission } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { setAccountPaused } from '../accounts/operation.ts';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { deleteChatAccount } from '../chat/accounts.ts';
import { recordSubmits } from '../messages/submits.ts';
import { applyReports, insertReports } from '../reports/reports.ts';
import { fanOut, insertSubmissions } from '../submissions/submissions.ts';

const rows = await openSharedRows();

const RECIPIENTS = ['919800000001', '919800000002', '919800000003'];
const BACKWARD = [3, 2, 1];

test('answers of a gateway are recorded in the order of the messages', async () => {
  const { id } = await accept(rows.db, { recipients: RECIPIENTS });
  await fanOut(rows.db, [id], 60);
  const submits = BACKWARD.map((n) => {
    return { submissionId: id, n, result: 'sent' as const, gatewayMessageId: null, retryAfterMs: 0 };
  });

  expect(await lockedBehind(rows.db, message(id), (db) => recordSubmits(db, 'simulator', submits))).toEqual([
    1, 2,
  ]);
});

test('reports are applied in the order of the messages', async () => {
  const { id } = await accept(rows.db, { recipients: RECIPIENTS });
  await fanOut(rows.db, [id], 60);
  const reports = BACKWARD.map((n) => newReport(id, { n }));
  await insertReports(rows.db, reports);

  expect(
    await lockedBehind(rows.db, message(id), (db) =>
      applyReports(
        db,
        reports.map((report) => report.id),
      ),
    ),
  ).toEqual([1, 2]);
});

test('opt-outs are renewed in the order of the recipients', async () => {
  const { accountId } = await accept(rows.db);
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [accountId]);
  const optOuts = BACKWARD.map((n) => {
    const createdAt = new Date();
    return {
      id: `019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e6${n}`,
      recipient: RECIPIENTS[n - 1]!,
      sender: '',
      source: 'api',
      reason: null,
      createdAt,
    };
  });
  await upsertOptOuts(rows.db, accountId, optOuts);
  const optOut = (n: number) =>
    `opt_out WHERE account_id = '${accountId}' AND recipient = '${RECIPIENTS[n - 1]}'`;

  expect(await lockedBehind(rows.db, optOut, (db) => upsertOptOuts(db, accountId, optOuts))).toEqual([1, 2]);
});

test('idempotency keys are claimed in their order', async () => {
  const { accountId } = newSubmission();
  const keyed = BACKWARD.map((n) => {
    const idempotency = { path: '/v1/sms', key: `key-${n}`, bodyHash: Buffer.alloc(32) };
    return newSubmission({ accountId, idempotency });
  });
  await insertSubmissions(rows.db, keyed);
  await rows.db.query(`UPDATE idempotency_key SET created_at = now() - interval '49 hours'`);
  const again = keyed.map(({ idempotency }) => newSubmission({ accountId, idempotency }));
  const key = (n: number) => `idempotency_key WHERE account_id = '${accountId}' AND key = 'key-${n}'`;

  expect(await lockedBehind(rows.db, key, (db) => insertSubmissions(db, again))).toEqual([1, 2]);
});

test.each([
  [
    'paused',
    '1555070000',
    ({ accountId }: Senders) =>
      (db: EntityManager) =>
        setAccountPaused(db, accountId, true),
  ],
  [
    'deleted with their chat account',
    '1555080000',
    ({ accountId, chatAccountId }: Senders) =>
      (db: EntityManager) =>
        deleteChatAccount(db, accountId, chatAccountId, 'a test'),
  ],
])('senders are %s in the order of their numbers', async (_, prefix, run) => {
  const { accountId } = newSubmission();
  const chatAccountId = await addSender(rows.db, accountId, `${prefix}3`);
  for (const n of [2, 1])
    await rows.db.query(
      `INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second) VALUES ($1, $2, $3, 80)`,
      [`${prefix}${n}`, chatAccountId, accountId],
    );
  const sender = (n: number) => `chat_sender WHERE msisdn = '${prefix}${n}'`;

  expect(await lockedBehind(rows.db, sender, run({ accountId, chatAccountId }))).toEqual([1, 2]);
});

interface Senders {
  accountId: string;
  chatAccountId: number;
}

const message = (id: string) => (n: number) => `message WHERE submission_id = '${id}' AND n = ${n}`;
