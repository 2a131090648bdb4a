import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { PushResults } from './push-results.ts';
import { PUSH_LEASE_MS } from './push-tries.ts';

const IN_FLIGHT = { status: 'WAITING', attempts: 0, nextDelayMs: PUSH_LEASE_MS, error: 'in_flight' } as const;
const DELIVERED = { status: 'DELIVERED', attempts: 1, nextDelayMs: null, error: null } as const;
const FAILED = { status: 'WAITING', attempts: 1, nextDelayMs: 5_000, error: 'bad_status' } as const;
const PUT_OFF = { status: 'WAITING', attempts: 0, nextDelayMs: 0, error: 'put_off' } as const;

test.each([
  ['a success', DELIVERED, 0],
  ['a failure', FAILED, 1],
  ['a try without a call', PUT_OFF, 0],
])('%s is kept when its report is settled later with the push in flight', async (_name, known, attempts) => {
  await using t = await setup();

  await Promise.all([t.record(null, known), t.record(t.reportId, IN_FLIGHT)]);

  const { status, error } = known;
  expect(await t.pushes()).toEqual([{ status, attempts: known.attempts, error }]);
  expect(await t.db.query('SELECT FROM push_attempt')).toHaveLength(attempts);
  expect(await t.db.query('SELECT FROM message_event WHERE settled_at IS NULL')).toEqual([]);
});

test('the end of a push that was handed off replaces its first outcome', async () => {
  await using t = await setup();

  await Promise.all([t.record(t.reportId, IN_FLIGHT), t.record(null, PUT_OFF)]);

  expect(await t.pushes()).toEqual([{ status: 'WAITING', attempts: 0, error: 'put_off' }]);
});

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const { id, accountId } = await accept(db, { accountId: randomUUIDv7() });
  await fanOut(db, [id], 60);
  const report = newReport(id);
  await insertReports(db, [report]);
  const [webhookId] = (await addWebhooks(db, accountId, 1)) as [string];
  const results = new PushResults(db, new AccountThrottle());
  return {
    db,
    reportId: report.id,
    /** Records an outcome of the push; those of one tick are in one statement. */
    record: (settles: string | null, outcome: Pick<PushOutcome, keyof typeof FAILED>) => {
      const failedAttempt = outcome.error === 'bad_status';
      const key = { reportId: report.id, webhookId, accountId };
      return results.record({ settles, outcomes: [{ ...CALL, ...key, ...outcome, failedAttempt }] });
    },
    pushes: () => db.query('SELECT status, attempts, error FROM push'),
    [Symbol.asyncDispose]: async () => {
      await results.close();
      await rows[Symbol.asyncDispose]();
    },
  };
}

const CALL = {
  responseStatus: null,
  durationMs: 12,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
  requestHeaders: null,
};
