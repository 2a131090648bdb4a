import { randomInt, randomUUIDv7 } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { addMatch, type IdEvidence } from '@signalbox/domain/routing/id-rule';
import { newMessageId } from '@signalbox/test/rows';
import { isRefusedValue } from '../core/refused-value.ts';
import { listIdRules, lockIdEvidence, revokeIdRule, storeIdEvidence } from './id-rules.ts';
import { insertMessageIds } from './message-ids.ts';
import {
  MAX_ORPHANS,
  type NewOrphan,
  claimDueOrphans,
  countOrphans,
  deleteOrphans,
  insertOrphans,
  listOrphans,
  lockOrphan,
  postponeOrphans,
  sweepOrphans,
} from './orphans.ts';

const rows = await openSharedRows();
beforeEach(() => rows.db.query(`TRUNCATE orphan_report, gateway_id_rule`));

let count = 0;
function orphan(given: Partial<NewOrphan> = {}): NewOrphan {
  count += 1;
  return {
    id: randomUUIDv7(),
    gateway: 'smsc-1',
    kind: 'report',
    gatewayMessageId: String(count),
    wakeId: String(count),
    recipient: '919800000100',
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: null,
    description: 'DELIVRD',
    content: null,
    reportedAt: new Date(),
    ...given,
  };
}

/** Lets an orphan have come some time ago. */
const age = (interval: string): Promise<unknown> =>
  rows.db.query(
    `UPDATE orphan_report SET received_at = now() - $1::interval, next_try_at = now() - interval '1 second'`,
    [interval],
  );
const secondsToNextTry = async (): Promise<number | null> => {
  const [row] = await rows.db.query(
    `SELECT extract(epoch FROM next_try_at - received_at)::float8 AS seconds FROM orphan_report`,
  );
  return (row as { seconds: number | null }).seconds;
};

test('an inbound message that comes again is kept once, and each of equal reports', async () => {
  for (const kind of ['inbound', 'report'] as const) {
    const kept = orphan({ kind, content: kind === 'inbound' ? {} : null });
    await insertOrphans(rows.db, [kept, { ...kept, id: randomUUIDv7() }]);
    await insertOrphans(rows.db, [{ ...kept, id: randomUUIDv7() }]);
  }

  const counts = await countOrphans(rows.db);
  expect(counts.toSorted((a, b) => a.count - b.count)).toEqual([
    { gateway: 'smsc-1', kind: 'inbound', count: 1 },
    { gateway: 'smsc-1', kind: 'report', count: 3 },
  ]);
});

test('the orphans of a gateway are counted up to 10,000', async () => {
  await rows.db.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, err_code, description, reported_at)
     SELECT uuidv7(), CASE WHEN n > 2 THEN 'smsc-1' ELSE 'smsc-2' END, 'report', n, n, '', '', now()
       FROM generate_series(1, 10_100) AS n`,
  );

  const counts = await countOrphans(rows.db);
  expect(counts.toSorted((a, b) => a.count - b.count)).toEqual([
    { gateway: 'smsc-2', kind: 'report', count: 2 },
    { gateway: 'smsc-1', kind: 'report', count: 10_000 },
  ]);
});

test.each([
  ['2 seconds', 10],
  ['15 seconds', 60],
  ['2 minutes', 600],
  ['20 minutes', 3_600],
  ['2 hours', null],
])('an orphan that came %s ago is tried again %p s after it came', async (since, seconds) => {
  await insertOrphans(rows.db, [orphan()]);
  await age(since);
  const [claimed] = await claimDueOrphans(rows.db, 'report', 10);
  expect(await claimDueOrphans(rows.db, 'report', 10)).toEqual([]);

  await postponeOrphans(rows.db, [claimed!.id]);

  expect(await secondsToNextTry()).toBe(seconds);
});

test('an inbound message that nobody owns for long is tried again each hour', async () => {
  await insertOrphans(rows.db, [orphan({ kind: 'inbound', status: null, content: {} })]);
  await age('2 hours');
  const [claimed] = await claimDueOrphans(rows.db, 'inbound', 10);

  await postponeOrphans(rows.db, [claimed!.id]);

  expect(
    await rows.db.query(
      `SELECT FROM orphan_report WHERE next_try_at BETWEEN now() AND now() + interval '1 hour'`,
    ),
  ).toHaveLength(1);
});

test('a report without a status is never tried again, and an inbound message is', async () => {
  await insertOrphans(rows.db, [
    orphan({ status: null }),
    orphan({ kind: 'inbound', status: null, content: { from: '1' } }),
  ]);
  const due = await rows.db.query(`SELECT kind FROM orphan_report WHERE next_try_at IS NOT NULL`);
  expect(due).toEqual([{ kind: 'inbound' }]);
});

test('an id that becomes known wakes the reports of its gateway that wait for it', async () => {
  const waiting = [
    orphan({ wakeId: 'ff', recipient: '09800000100' }),
    orphan({ wakeId: 'ff', recipient: null }),
  ];
  const others = [
    orphan(),
    orphan({ wakeId: 'ff', gateway: 'smsc-2' }),
    orphan({ wakeId: 'ff', recipient: '919800000101' }),
  ];
  await insertOrphans(rows.db, [...waiting, ...others]);
  await rows.db.query(`UPDATE orphan_report SET next_try_at = NULL`);

  await insertMessageIds(rows.db, [newMessageId('ff'), newMessageId('fe')]);

  const due = await claimDueOrphans(rows.db, 'report', 10);
  expect(due.map(({ id }) => id).toSorted()).toEqual(waiting.map(({ id }) => id).toSorted());
});

test('orphans are listed newest first, by gateway and kind, and deleted by id', async () => {
  const ids = Array.from({ length: 3 }, () => randomUUIDv7()).toSorted();
  await insertOrphans(rows.db, [
    orphan({ id: ids[0] }),
    orphan({ id: ids[1], gateway: 'smsc-2' }),
    orphan({ id: ids[2], kind: 'inbound', content: {} }),
  ]);

  const list = async (filter: object, limit = 10, before?: string) =>
    (await listOrphans(rows.db, filter, limit, before)).map(({ id }) => id);
  expect(await list({})).toEqual(ids.toReversed());
  expect(await list({}, 1, ids[2])).toEqual([ids[1]]);
  expect(await list({ gateway: 'smsc-2' })).toEqual([ids[1]]);
  expect(await list({ kind: 'inbound' })).toEqual([ids[2]]);
  expect(await lockOrphan(rows.db, ids[0]!)).toMatchObject({ id: ids[0], description: 'DELIVRD' });
  expect(await deleteOrphans(rows.db, [ids[0]!, randomUUIDv7()])).toBe(1);
  expect(await lockOrphan(rows.db, ids[0]!)).toBeUndefined();
});

test('an id that becomes known makes at most 100 of the reports due that wait for it', async () => {
  await insertOrphans(
    rows.db,
    Array.from({ length: 150 }, () => orphan({ wakeId: 'one for all', recipient: null })),
  );
  await rows.db.query(`UPDATE orphan_report SET next_try_at = NULL`);

  await insertMessageIds(rows.db, [newMessageId('one for all')]);

  expect(await claimDueOrphans(rows.db, 'report', 200)).toHaveLength(100);
});

test('a value that an index cannot hold is refused as a value, not as an outage', async () => {
  const wakeId = Array.from({ length: 4_096 }, () => String.fromCharCode(0x4e00 + randomInt(20_000))).join(
    '',
  );

  const stored = insertOrphans(rows.db, [orphan({ wakeId })]);

  expect(isRefusedValue(await stored.catch((error: unknown) => error))).toBe(true);
});

test('the sweep deletes what is older than a week, and the oldest of a gateway with too many', async () => {
  const [young, old] = [orphan({ gateway: 'smsc-2' }), orphan({ gateway: 'smsc-2' })];
  const eightDaysAgo = (Date.now() - 8 * 86_400_000).toString(16).padStart(12, '0');
  old.id = `${eightDaysAgo.slice(0, 8)}-${eightDaysAgo.slice(8)}${old.id.slice(13)}`;
  await insertOrphans(rows.db, [young, old]);
  await rows.db.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, err_code, description, reported_at)
     SELECT uuidv7(), 'smsc-1', 'report', n, n, '', '', now() FROM generate_series(1, $1::integer) AS n`,
    [MAX_ORPHANS + 3],
  );
  const idsOf = async (): Promise<string[]> =>
    (await rows.db.query(`SELECT id FROM orphan_report WHERE gateway = 'smsc-1' ORDER BY id LIMIT 4`)).map(
      ({ id }: { id: string }) => id,
    );
  const oldest = await idsOf();

  expect(await sweepOrphans(rows.db)).toBe(4);

  expect(await sweepOrphans(rows.db)).toBe(0);
  expect((await listOrphans(rows.db, { gateway: 'smsc-2' }, 10)).map(({ id }) => id)).toEqual([young.id]);
  expect((await idsOf())[0]).toBe(oldest[3]);
});

/** Adds matches to the evidence about a gateway, as one process does. */
const learn = (gateway: string, ...matches: string[][]): Promise<void> =>
  rows.db.transaction(async (db) => {
    const known = await lockIdEvidence(db, gateway);
    await storeIdEvidence(db, gateway, matches.reduce<IdEvidence[]>(addMatch, known));
  });
const times = (n: number, forms: string[]): string[][] => Array.from({ length: n }, () => forms);
const rulesInForce = async () =>
  (await listIdRules(rows.db)).map(({ gateway, form, hits }) => [gateway, form, hits]);

test('evidence that several processes add leads to one rule of the gateway', async () => {
  await Promise.all(Array.from({ length: 4 }, () => learn('smsc-1', ...times(5, ['hex:0']))));
  await learn('smsc-2', ['hex:0']);

  expect(await rulesInForce()).toEqual([['smsc-1', 'hex:0', 20]]);
});

test('a rule that a match contradicts ends, and another takes its place', async () => {
  await learn('smsc-1', ...times(20, ['hex:0', 'hex:8']));
  await learn('smsc-1', ['hex:0'], ...times(19, ['hex:0', 'hex:8']));
  expect(await rulesInForce()).toEqual([['smsc-1', 'hex:0', 40]]);

  await learn('smsc-1', ...times(20, ['upper']));

  expect(await rulesInForce()).toEqual([['smsc-1', 'upper', 20]]);
});

test('a revoked rule is not learned again', async () => {
  await learn('smsc-1', ...times(20, ['hex:0']));

  expect(await revokeIdRule(rows.db, 'smsc-1')).toBe('hex:0');
  expect(await revokeIdRule(rows.db, 'smsc-1')).toBeUndefined();
  await learn('smsc-1', ...times(40, ['hex:0']));

  expect(await rulesInForce()).toEqual([]);
});
