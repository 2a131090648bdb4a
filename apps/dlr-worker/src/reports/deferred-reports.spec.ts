import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countDeferred, insertDeferred } from '@signalbox/database/reports/deferred';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { setHostClock } from '@signalbox/test/clocks';
import { type Receiver, startReceiver } from '@signalbox/test/receiver';
import { accept, newReport } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type OpenPushing, openPushing } from '../../test/open-pushing.ts';

const WEBHOOKS = 5;
const REPORTS = 40;
/** With these, the reports make two batches. */
const MANY_WEBHOOKS = 30;
const QUIET = 5;
/** Pushes for which an account has room: those of a few reports. */
const ROOM = 20;

test('reports beyond the share of their account are deferred, and all are pushed once', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  leaveRoom(t, ROOM + QUIET);
  const busy = await storeReports(t, receiver, { webhooks: WEBHOOKS, reports: REPORTS });
  const quiet = await storeReports(t, receiver, { webhooks: 1, reports: QUIET });

  expect(await t.reports.settle([...busy.ids, ...quiet.ids])).toMatchObject({
    deferred: REPORTS - ROOM / WEBHOOKS,
  });

  await untilSettled(t);
  expect(await countDeferred(t.rows.db)).toEqual({ reports: 0, accounts: 0 });
  expect(idsOf(receiver).size).toBe(REPORTS * WEBHOOKS + QUIET);
  expect(receiver.received).toHaveLength(idsOf(receiver).size);
});

test('a short share of an account defers later statuses of a message, not the earlier ones', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  await using receiver = await startReceiver();
  const { accountId, ids } = await storeReports(t, receiver, { webhooks: 1, reports: 1 });
  await db.query('UPDATE webhook SET intermediate = true WHERE account_id = $1', [accountId]);
  const [{ submissionId }]: [{ submissionId: string }] = await db.query(
    'SELECT submission_id AS "submissionId" FROM message',
  );
  const sent = newReport(submissionId, { status: 'SENT' });
  await insertReports(db, [sent]);
  leaveRoom(t, 1);
  await t.deferred.close();

  expect(await t.reports.settle([...ids, sent.id])).toMatchObject({ toPush: 2, deferred: 1 });

  expect(await db.query('SELECT ids FROM deferred_batch')).toEqual([{ ids }]);
});

test('later reports of an account follow its deferred ones, until none is left', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const deferring = t.admission.deferringOf(false);
  const { accountId, ids } = await storeReports(t, receiver, { webhooks: 1, reports: 3 });
  deferring.add(accountId);

  expect(await t.reports.settle(ids)).toMatchObject({ toPush: 3, deferred: 3 });
  await untilSettled(t);
  await waitFor(async () => (await t.deferred.pass(), !deferring.has(accountId)), {
    otherwise: 'the account is still behind',
  });

  const later = await storeReports(t, receiver, { accountId, reports: 1 });
  expect(await t.reports.settle(later.ids)).not.toHaveProperty('deferred');
});

test('an account without deferred reports is unmarked, also when those of codes fill the list', async () => {
  await using t = await openPushing();
  await t.rows.db.query(
    `INSERT INTO deferred_batch (is_code, account_id, oldest, pushes, reports, ids, claimed_until)
     SELECT true, uuidv7(), uuidv7(), 1, 1, ARRAY[uuidv7()], now() + interval '1 hour'
       FROM generate_series(1, 1000)`,
  );
  const deferring = t.admission.deferringOf(false);
  deferring.add(randomUUIDv7());

  await t.deferred.pass();

  expect(deferring.size).toBe(0);
});

test('deferred reports are delayed while another account is active', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { accountId, ids } = await storeReports(t, receiver, { webhooks: MANY_WEBHOOKS, reports: REPORTS });
  t.admission.deferringOf(false).add(accountId);
  t.clock.now = () => 0;
  t.throttle.noteActivity(randomUUIDv7());
  t.throttle.noteActivity(accountId);
  t.throttle.charge(accountId, 1);
  await t.reports.settle(ids);

  await t.deferred.pass();
  expect(await countBatches(t)).toEqual({ all: 2, begun: 0 });

  t.clock.now = () => 1_000; // the other account is no longer active
  await untilSettled(t);
  expect(idsOf(receiver).size).toBe(REPORTS * MANY_WEBHOOKS);
});

test('an account gets one batch per claim while another account is active', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  await deferTwoBatches(t, receiver, false);

  await t.deferred.pass();
  await t.deferred.close();

  expect(await countBatches(t)).toEqual({ all: 1, begun: 0 });
});

test('one claim of all accounts gets no more pushes than the maximum', async () => {
  await using t = await openPushing();
  noteOthersActive(t);
  await deferFullBatches(t, 12);
  await deferFullBatches(t, 2, { isCode: true });

  await t.deferred.pass();
  await t.deferred.close();

  expect(await countBatches(t)).toEqual({ all: 4, begun: 0 });
});

test('accounts whose batches do not fit together get them one after another', async () => {
  await using t = await openPushing();
  noteOthersActive(t);
  leaveRoom(t, 1);
  const ids = await deferFullBatches(t, 3, { batches: 2 });
  const ended = await logEnded(t);

  await waitFor(async () => (await t.deferred.pass(), (await countBatches(t)).all === 0));

  expect(await ended()).toEqual([...ids, ...ids]);
});

test('accounts beyond those that a pass lists do not keep the others from their turns', async () => {
  await using t = await openPushing();
  noteOthersActive(t);
  leaveRoom(t, 1);
  const ids = await deferFullBatches(t, 1_001, { batches: 4 });
  const ended = await logEnded(t);
  const endedOfFirstPage = async () => (await ended()).filter((id) => id !== ids.at(-1));

  await waitFor(async () => (await t.deferred.pass(), (await endedOfFirstPage()).length >= 4));

  expect((await endedOfFirstPage()).slice(0, 4)).toEqual(ids.slice(0, 4));
});

test('accounts whose batches another worker has claimed do not keep one that is free waiting', async () => {
  await using t = await openPushing();
  const ids = await deferFullBatches(t, 5);
  await t.rows.db.query(
    `UPDATE deferred_batch SET claimed_until = now() + interval '1 hour' WHERE account_id <> $1`,
    [ids.at(-1)],
  );

  await t.deferred.pass();
  await t.deferred.pass();
  await t.deferred.close();

  expect((await countBatches(t)).all).toBe(4);
});

test('deferred reports about codes are never delayed', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const accountId = await deferTwoBatches(t, receiver, true);
  t.throttle.charge(accountId, 1);

  await t.deferred.pass();
  await t.deferred.close();

  expect(t.throttle.delayMs(accountId)).toBeGreaterThan(0);
  expect(await countBatches(t)).toEqual({ all: 1, begun: 0 });
});

test('another worker pushes the deferred reports of a killed one, without a parked one', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  leaveRoom(t, ROOM);
  const { ids } = await storeReports(t, receiver, { webhooks: WEBHOOKS, reports: REPORTS });
  const killer = ids.at(-1)!;
  await t.deferred.close();
  await t.reports.settle(ids);
  await t.rows.db.query('UPDATE message_event SET starts = 10 WHERE id = $1', [killer]);
  await t.rows.db.query(`UPDATE deferred_batch SET starts = 2, claimed_until = now() - interval '1 second'`);

  t.deferred = t.newDeferred();
  await untilSettled(t, 1);

  expect(idsOf(receiver).size).toBe((REPORTS - 1) * WEBHOOKS);
  expect(await listOpen(t)).toEqual([killer]);
});

test('the lease of a running batch is renewed when the clock of the host is set back', async () => {
  await using t = await openPushing();
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
  const { accountId, ids } = await storeReports(t, receiver, { webhooks: 1, reports: 1 });
  t.admission.deferringOf(false).add(accountId);
  await t.reports.settle(ids);
  await receiver.until(() => receiver.received.length === 1);
  const before = await leaseEnd(t);

  using _ = setHostClock(-3_600_000, 6_000);
  await t.deferred.pass();

  expect(await leaseEnd(t)).toBeGreaterThan(before);
  for (const answer of answers) answer();
});

test('a job does not wait for an endpoint that does not answer, nor for a slow one', async () => {
  await using t = await openPushing();
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
  const { ids } = await storeReports(t, receiver, { webhooks: 1, reports: 2 });

  for (const id of ids) {
    await t.reports.settle([id]);
    expect(await t.reports.settle([id])).toMatchObject({ toPush: 0 }); // in progress still
  }

  await receiver.until(() => receiver.received.length === 2);
  for (const answer of answers) answer();
  await waitFor(async () => (await listOpen(t)).length === 0, { otherwise: 'reports are open' });
});

test('deferred reports are pushed when they are claimed before the job that deferred them ends', async () => {
  await using t = await openPushing();
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
  const freeRoom = leaveRoom(t, 1);
  const { ids } = await storeReports(t, receiver, { webhooks: 1, reports: 2 });
  const job = t.reports.settle(ids);
  await receiver.until(() => answers.length === 1);
  await waitFor(async () => (await countBatches(t)).all === 1, { otherwise: 'nothing is deferred' });

  freeRoom();
  await waitFor(async () => (await t.deferred.pass(), answers.length === 2), {
    otherwise: 'the deferred report is not pushed',
  });

  for (const answer of answers) answer();
  expect(await job).toMatchObject({ toPush: 2, deferred: 1 });
  await untilSettled(t);
  expect(idsOf(receiver).size).toBe(2);
});

/** Logs the accounts of the batches that end. Returns a function that lists them in order. */
async function logEnded({ rows: { db } }: OpenPushing): Promise<() => Promise<string[]>> {
  await db.query('CREATE TABLE ended (id serial, account_id uuid)');
  await db.query(
    'CREATE RULE log AS ON DELETE TO deferred_batch DO ALSO INSERT INTO ended (account_id) VALUES (OLD.account_id)',
  );
  return async () => {
    const ended: { id: string }[] = await db.query('SELECT account_id AS id FROM ended ORDER BY ended.id');
    return ended.map(({ id }) => id);
  };
}

/** Notes the activity of two accounts, which shows each account that others are active. */
function noteOthersActive({ throttle }: OpenPushing): void {
  for (const accountId of [randomUUIDv7(), randomUUIDv7()]) throttle.noteActivity(accountId);
}

/** Defers batches of accounts, each of 1,000 pushes of a report that is gone. Returns the accounts in order. */
async function deferFullBatches(
  { rows: { db } }: OpenPushing,
  accounts: number,
  { isCode = false, batches = 1 } = {},
): Promise<string[]> {
  const ids = Array.from({ length: accounts }, () => randomUUIDv7()).toSorted();
  await insertDeferred(
    db,
    ids.flatMap((accountId) =>
      Array.from({ length: batches }, () => ({
        accountId,
        isCode,
        pushes: 1_000,
        reportIds: [randomUUIDv7()],
      })),
    ),
  );
  return ids;
}

/** Defers two batches of an account, next to another one that stays active. Returns the account. */
async function deferTwoBatches(t: OpenPushing, receiver: Receiver, isCode: boolean): Promise<string> {
  const lane = isCode ? 'OTP' : 'TRANS';
  const given = { webhooks: MANY_WEBHOOKS, reports: REPORTS, lane } as const;
  const { accountId, ids } = await storeReports(t, receiver, given);
  t.admission.deferringOf(isCode).add(accountId);
  t.clock.now = () => 0;
  t.throttle.noteActivity(randomUUIDv7());
  await t.reports.settle(ids);
  expect(await countBatches(t)).toEqual({ all: 2, begun: 0 });
  return accountId;
}

/**
 * Leaves room for some pushes of an account, as if another account used the remainder. Returns a function that frees
 * the remainder.
 */
function leaveRoom({ admission }: OpenPushing, room: number): () => void {
  const shares = admission.sharesOf(false);
  const other = randomUUIDv7();
  const taken = (shares.room('') - room) * 2;
  shares.take(other, taken);
  return () => shares.free(other, taken);
}

/** Stores reports about messages of an account with some webhooks. Returns their ids in order. */
async function storeReports(
  { rows: { db }, webhook }: OpenPushing,
  { url }: Receiver,
  given: { accountId?: string; webhooks?: number; reports: number; lane?: 'OTP' | 'TRANS' },
): Promise<{ accountId: string; ids: string[] }> {
  const accountId = given.accountId ?? randomUUIDv7();
  for (let i = 0; i < (given.webhooks ?? 0); i += 1)
    await webhook(`${url}/${i}`, { accountId, maxInFlight: 64 });
  const recipients = Array.from({ length: given.reports }, (_, i) => String(919_800_000_100 + i));
  const { id } = await accept(db, { accountId, recipients, lane: given.lane ?? 'TRANS' });
  await fanOut(db, [id], 60);
  const ids = recipients.map(() => randomUUIDv7()).toSorted();
  await insertReports(
    db,
    ids.map((reportId, i) => newReport(id, { id: reportId, n: i + 1 })),
  );
  return { accountId, ids };
}

/** The end of the lease of the only batch, in milliseconds. */
async function leaseEnd({ rows }: OpenPushing): Promise<number> {
  const [batch]: [{ until: Date }] = await rows.db.query('SELECT claimed_until AS until FROM deferred_batch');
  return batch.until.getTime();
}

/** Counts the deferred batches, and those of them that were claimed. */
async function countBatches({ rows }: OpenPushing): Promise<{ all: number; begun: number }> {
  const [counts]: [{ all: number; begun: number }] = await rows.db.query(
    `SELECT count(*)::integer AS all, (count(*) FILTER (WHERE starts > 0))::integer AS begun FROM deferred_batch`,
  );
  return counts;
}

/** Ids of the unsettled reports, in order. */
async function listOpen({ rows }: OpenPushing): Promise<string[]> {
  const open: { id: string }[] = await rows.db.query(
    'SELECT id FROM message_event WHERE settled_at IS NULL ORDER BY id',
  );
  return open.map(({ id }) => id);
}

/** Makes passes until all but `open` reports are settled, and no push is left to a later try. */
async function untilSettled(t: OpenPushing, open = 0): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    await t.deferred.pass();
    await t.duePusher.pass(); // a busy machine puts first tries off
    const { reports } = await countDeferred(t.rows.db);
    if (reports > 0 || (await listOpen(t)).length !== open) return false;
    // counted last: the statement that settles a report may store pushes that wait
    const [row]: [{ count: number }] = await t.rows.db.query(
      `SELECT count(*)::integer AS count FROM push WHERE status = 'WAITING'`,
    );
    return row.count === 0;
  };
  await waitFor(isDone, { timeoutMs: 60_000, otherwise: 'reports are handed off' });
}

function idsOf({ received }: Receiver): Set<unknown> {
  return new Set(received.map(({ headers }) => headers['webhook-id']));
}
