import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { accept, makeBatchesDue, newReport } from '@signalbox/test/rows';
import { claimLostReports } from '../ops/rescue.ts';
import { fanOut } from '../submissions/submissions.ts';
import { claimDeferred, deleteDeferred, insertDeferred, listDeferring, renewDeferred } from './deferred.ts';
import { insertReports } from './reports.ts';

const FIRST = [true, false].map((isCode) => ({ isCode, accountId: MIN_UUID }));
const NO_JOB = (): Date => new Date(Date.now() + 3_600_000);

const rows = await openSharedRows();
beforeEach(async () => {
  await rows.db.query('TRUNCATE deferred_batch, report_batch, message_event');
});

test('accounts get batches up to their room, the oldest reports first, and no batch twice', async () => {
  const { db } = rows;
  const [a, b] = orderedIds(2) as [string, string];
  const [r1, r2, r3, r4] = orderedIds(4) as [string, string, string, string];
  const batch = { accountId: a, isCode: false, pushes: 10 };
  await insertDeferred(db, [
    { ...batch, reportIds: [r3] },
    { ...batch, reportIds: [r1, r2] },
  ]);
  await insertDeferred(db, [
    { ...batch, accountId: b, reportIds: [r4] },
    { ...batch, isCode: true, reportIds: [r4] },
  ]);

  const accounts = await listDeferring(db, FIRST, 50);
  expect(accounts).toHaveLength(3);
  expect(accounts).toEqual(
    expect.arrayContaining([
      { isCode: false, accountId: a },
      { isCode: false, accountId: b },
      { isCode: true, accountId: a },
    ]),
  );
  expect(await listDeferring(db, [{ isCode: false, accountId: a }], 1)).toEqual([
    { isCode: false, accountId: b },
  ]);

  const rooms = [a, b].map((accountId) => ({ accountId, isCode: false, room: 5, roomOfAll: 100 }));
  const claimed = await claimDeferred(db, rooms, 60);
  expect(claimed.map(({ reportIds, starts }) => [reportIds, starts])).toEqual(
    expect.arrayContaining([
      [[r1, r2], 1],
      [[r4], 1],
    ]),
  );
  const more = await claimDeferred(db, rooms, 60);
  expect(more.map(({ reportIds }) => reportIds)).toEqual([[r3]]);
});

test('a batch whose lease ended is claimed again, until it is deleted', async () => {
  const { db } = rows;
  const account = { accountId: randomUUIDv7(), isCode: false };
  await insertDeferred(db, [{ ...account, reportIds: [randomUUIDv7()], pushes: 1 }]);
  const claim = () => claimDeferred(db, [{ ...account, room: 1, roomOfAll: 1 }], 60);
  const [first] = await claim();

  await renewDeferred(db, [first!.id], -1);
  const [again] = await claim();
  expect(again).toEqual({ ...first, starts: 2 });

  await deleteDeferred(db, [first!.id]);
  expect(await listDeferring(db, FIRST, 50)).toEqual([]);
});

test('the rescue counts no start of deferred reports, and finds those whose batch is lost', async () => {
  const { db } = rows;
  const { accountId, ids } = await storeReports(3);
  const [older, deferred, lost] = ids as [string, string, string];
  await insertDeferred(db, [{ accountId, isCode: false, reportIds: [deferred], pushes: 1 }]);

  await makeOld();
  expect(await claimLostReports(db, NO_JOB(), false)).toEqual([older]);
  await makeOld();
  expect(await claimLostReports(db, NO_JOB(), false)).toEqual([older]); // its job is lost too

  await db.query('DELETE FROM deferred_batch');
  await makeOld();
  const rescued = await claimLostReports(db, NO_JOB(), false);
  expect(new Set(rescued)).toEqual(new Set([older, deferred, lost]));
  const starts = await db.query('SELECT id, starts FROM message_event ORDER BY id');
  expect(starts).toEqual([
    { id: older, starts: 3 },
    { id: deferred, starts: 1 },
    { id: lost, starts: 1 },
  ]);
});

test('a report that was rescued before is left alone while it is deferred', async () => {
  const { db } = rows;
  const { accountId, ids } = await storeReports(1);
  await makeOld();
  expect(await claimLostReports(db, NO_JOB(), false)).toEqual(ids);

  await insertDeferred(db, [{ accountId, isCode: false, reportIds: ids, pushes: 1 }]);
  await makeOld();
  expect(await claimLostReports(db, NO_JOB(), false)).toEqual([]);
  expect(await db.query('SELECT starts, due_at > now() AS later FROM message_event')).toEqual([
    { starts: 1, later: true },
  ]);

  await db.query('DELETE FROM deferred_batch');
  await makeOld();
  expect(await claimLostReports(db, NO_JOB(), false)).toEqual(ids);
});

test('the rescue reads many deferred reports in pages, and keeps them in small batches', async () => {
  const { db } = rows;
  const { accountId, ids } = await storeReports(12_000);
  await insertDeferred(db, [{ accountId, isCode: false, reportIds: ids, pushes: 1 }]);
  await makeBatchesDue(db);

  for (let pass = 0; pass < 12; pass += 1) expect(await claimLostReports(db, NO_JOB(), false)).toEqual([]);

  const batches = await db.query(
    `SELECT reports, cardinality(ids) AS size, due_at > now() AS later FROM report_batch`,
  );
  expect(batches).toEqual(Array.from({ length: 12 }, () => ({ reports: 1_000, size: 1_000, later: true })));
});

async function storeReports(count: number): Promise<{ accountId: string; ids: string[] }> {
  const { db } = rows;
  const { id, accountId } = await accept(db, {
    recipients: Array.from({ length: count }, (_, i) => String(919_800_000_100 + i)),
  });
  await fanOut(db, [id], 60);
  const reports = orderedIds(count).map((reportId, i) => newReport(id, { id: reportId, n: i + 1 }));
  for (let i = 0; i < count; i += 1_000) await insertReports(db, reports.slice(i, i + 1_000));
  return { accountId, ids: reports.map((report) => report.id) };
}

/** Ids of one millisecond are not in order. */
function orderedIds(count: number): string[] {
  return Array.from({ length: count }, () => randomUUIDv7()).toSorted();
}

/** Makes all reports an hour old, and those that the rescue examines later due. */
async function makeOld(): Promise<void> {
  const { db } = rows;
  await makeBatchesDue(db);
  await db.query(
    `UPDATE message_event
        SET received_at = now() - interval '1 hour', due_at = due_at - interval '2 hours'`,
  );
}
