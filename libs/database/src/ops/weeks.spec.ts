import { expect, test } from '@jest/globals';
import { firstIdAt } from '@signalbox/domain/id-time';
import { accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { insertReports } from '../reports/reports.ts';
import { recordPushes } from '../webhooks/pushes.ts';
import { countReplayable, replayPush } from '../webhooks/replays.ts';
import { deleteOldest } from './retention.ts';
import { dropWeek, listWeekStates, makeWeeks } from './weeks.ts';

const DAY_MS = 86_400_000;
const NO_TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

test('a migrated database has the weeks that the duty would make', async () => {
  await using t = await setup();
  for (const table of ['push', 'routing_event']) {
    const weeks = await t.listWeeks(table);
    const migratedIn = Date.parse(weeks[0]!.replace(/.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
    const wanted = Array.from({ length: 6 }, (_, week) => weekOf(table, migratedIn + week * 7 * DAY_MS));
    expect(weeks).toEqual(wanted);
  }
});

test('concurrent makers make each week once, ahead of its rows', async () => {
  await using t = await setup();
  for (const name of await t.listWeeks('push')) await t.db.query(`DROP TABLE ${name}`);
  expect(await listWeekStates(t.db)).toMatchObject([{ table: 'push', daysAhead: expect.any(Number) }, {}]);
  expect((await listWeekStates(t.db))[0]!.daysAhead).toBeLessThanOrEqual(0);

  await Promise.all([t.make(), t.make()]);
  await t.make();

  const namesOf = (table: string) =>
    Array.from({ length: 6 }, (_, week) => weekOf(table, Date.now() + week * 7 * DAY_MS));
  expect(await t.listWeeks('push')).toEqual(namesOf('push'));
  // with the week before when the database was migrated in it
  expect(await t.listWeeks('routing_event')).toEqual(expect.arrayContaining(namesOf('routing_event')));
  const states = await listWeekStates(t.db);
  for (const { daysAhead } of states) expect(daysAhead).toBeGreaterThan(5 * 7);

  // a week without a partition counts, although there are later ones
  await t.db.query(`DROP TABLE ${weekOf('push', Date.now() + 2 * 7 * DAY_MS)}`);
  const [push, routing] = await listWeekStates(t.db);
  expect(push!.daysAhead).toBe(routing!.daysAhead - 4 * 7);
});

test('a row of a week without a partition is kept, watched, and moved to its week', async () => {
  await using t = await setup();
  const week = weekOf('push', Date.now());
  await t.db.query(`DROP TABLE ${week}`);
  const strayWeek = Date.now() - 70 * DAY_MS;
  const pushes = [await t.push(Date.now()), await t.push(strayWeek)];
  expect(await listWeekStates(t.db)).toMatchObject([{ unplaced: 2 }, { unplaced: 0 }]);

  await t.make();

  expect(await listWeekStates(t.db)).toMatchObject([{ unplaced: 0 }, { unplaced: 0 }]);
  expect(await t.listPushes(week)).toEqual([pushes[0]]);
  expect(await t.listPushes(weekOf('push', strayWeek))).toEqual([pushes[1]]);
  expect(await t.listPushes('push')).toHaveLength(2);
});

test('a week that the duty makes has the keys, indexes, checks and settings of the others', async () => {
  await using t = await setup();
  await t.make();
  const weeks = await t.listWeeks('push');
  const shapes = await Promise.all([weeks.at(0)!, weeks.at(-1)!].map((name) => t.describe(name)));

  expect(shapes[1]).toEqual(shapes[0]);
  expect(shapes[0]!.options).toContain('autovacuum_vacuum_scale_factor=0.02');
  expect(shapes[0]!.indexes).toHaveLength(3);
  expect(shapes[0]!.checks).toEqual(['push_status', 'push_waiting_has_time']);
});

test('a week is dropped when all of it is past retention and its reports are deleted', async () => {
  await using t = await setup();
  const cutoff = Date.now() - 90 * DAY_MS;
  const firstKept = mondayOf(cutoff);
  const [old, kept] = [await t.push(firstKept - 1), await t.push(firstKept)];
  await t.make();
  expect(await t.drop(90)).toBe(0);

  await deleteOldest(t.db, 90);
  expect(await t.listPushes('push')).toEqual([old, kept]);
  expect(await t.drop(90)).toBe(1);

  expect(await t.drop(90)).toBe(0);
  expect(await t.listPushes('push')).toEqual([kept]);
  expect(await t.listWeeks('push')).not.toContain(weekOf('push', firstKept - 1));
});

test('a push whose report is deleted is not replayed while its week lasts', async () => {
  await using t = await setup();
  const [old, kept] = [await t.push(mondayOf(Date.now() - 90 * DAY_MS)), await t.push(Date.now())];
  const range = {
    webhookId: t.webhookId,
    statuses: ['EXHAUSTED' as const],
    from: new Date(0),
    to: new Date(),
  };
  const count = () => countReplayable(t.db, { ...range, to: new Date(Date.now() + DAY_MS) });
  const replay = (reportId: string) => replayPush(t.db, t.accountId, { webhookId: t.webhookId, reportId });
  expect(await count()).toBe(2);

  await t.db.query('DELETE FROM message_event WHERE id = $1', [old]);

  expect(await count()).toBe(1);
  expect(await replay(old)).toBeUndefined();
  expect(await replay(kept)).toBe(true);
});

test('old rows outside of the partition of their week are deleted one by one', async () => {
  await using t = await setup();
  await t.push(Date.now() - 91 * DAY_MS);
  const kept = await t.push(Date.now() - 89 * DAY_MS);
  await t.db.query(
    `INSERT INTO routing_event (id, submission_id, n, event, gateway, reason)
     SELECT id, id, 1, 'ROUTED', 'first', '' FROM unnest($1::uuid[]) AS id`,
    [[91, 89].map((days) => firstIdAt(Date.now() - days * DAY_MS).replace('-0000-0000-', '-7000-8000-'))],
  );

  await deleteOldest(t.db, 90);

  expect(await t.listPushes('push_default')).toEqual([kept]);
  expect(await t.db.query('SELECT n FROM routing_event')).toEqual([{ n: 1 }]);
});

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const { id: submissionId, accountId } = await accept(db);
  const [webhookId] = (await addWebhooks(db, accountId, 1)) as [string];
  return {
    db,
    accountId,
    webhookId,
    make: () => db.transaction(makeWeeks),
    drop: (days: number) => db.transaction((own) => dropWeek(own, days)),
    listWeeks: (table: string) => listWeeks(db, table),
    describe: (partition: string) => describePartition(db, partition),
    /** Stores an exhausted push of a report of some time, and returns the id of the report. */
    push: async (time: number): Promise<string> => {
      const report = newReport(submissionId, { id: firstIdAt(time).replace('-0000-0000-', '-7000-8000-') });
      await insertReports(db, [report]);
      await storePush(db, { reportId: report.id, webhookId, accountId });
      return report.id;
    },
    listPushes: async (table: string): Promise<string[]> => {
      const pushes: { id: string }[] = await db.query(`SELECT report_id AS id FROM ${table} ORDER BY 1`);
      return pushes.map(({ id }) => id);
    },
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}

function storePush(
  db: EntityManager,
  key: { reportId: string; webhookId: string; accountId: string },
): Promise<void> {
  const outcome = { status: 'EXHAUSTED', attempts: 1, nextDelayMs: null, responseStatus: 500 } as const;
  const call = { error: 'status_500', durationMs: 3, timings: NO_TIMINGS, answer: '', requestHeaders: null };
  return recordPushes(db, [key.reportId], [{ ...key, ...outcome, ...call, failedAttempt: false }]);
}

async function listWeeks(db: EntityManager, table: string): Promise<string[]> {
  const weeks: { name: string }[] = await db.query(
    `SELECT inhrelid::regclass::text AS name
       FROM pg_inherits
      WHERE inhparent = $1::regclass AND inhrelid::regclass::text ~ '^[a-z_]+_[0-9]{8}$'
      ORDER BY 1`,
    [table],
  );
  return weeks.map(({ name }) => name);
}

interface Shape {
  options: string;
  indexes: string[];
  checks: string[];
  columns: string[];
}

/** Describes a partition without its own name, and requires that each of its indexes is part of one of the table. */
async function describePartition(db: EntityManager, partition: string): Promise<Shape> {
  const [shape]: [Shape] = await db.query(
    `SELECT reloptions::text AS options,
            ARRAY(SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', '') || ' of ' || p.inhparent::regclass
                    FROM pg_index x JOIN pg_inherits p ON p.inhrelid = x.indexrelid
                   WHERE x.indrelid = c.oid AND x.indisvalid ORDER BY 1) AS indexes,
            ARRAY(SELECT conname::text FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' ORDER BY 1) AS checks,
            ARRAY(SELECT attname || ' ' || atttypid::regtype || ' ' || attnotnull
                    FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 ORDER BY attnum) AS columns
       FROM pg_class c
      WHERE c.oid = $1::regclass`,
    [partition],
  );
  return shape;
}

function mondayOf(time: number): number {
  const day = Math.floor(time / DAY_MS);
  return (day - ((day + 3) % 7)) * DAY_MS;
}

function weekOf(table: string, time: number): string {
  return `${table}_${new Date(mondayOf(time)).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
