import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { noteHeartbeat, settlingMs, takeOverUntil } from './settling.ts';

test('leases are taken over five seconds after the start of a process, and after an outage', async () => {
  await using rows = await openRows();
  const settlingAt = (now: number): number => settlingMs(rows.db, now);
  expect(settlingAt(0)).toBe(0); // a process without heartbeats

  noteAt(rows.db, 0);
  expect([settlingAt(0), settlingAt(3_000)]).toEqual([5_000, 2_000]);
  noteAt(rows.db, 3_000);
  expect([settlingAt(5_000), settlingAt(6_000)]).toEqual([0, 0]);

  expect(settlingAt(6_001)).toBe(5_000); // the database does not answer
  noteAt(rows.db, 20_000);
  expect([settlingAt(20_000), settlingAt(22_999)]).toEqual([5_000, 2_001]);
  for (const now of [22_000, 24_000]) noteAt(rows.db, now);
  expect([settlingAt(24_999), settlingAt(25_000)]).toEqual([1, 0]);
});

test('a heartbeat that is late by the clock of the database ends an outage', async () => {
  await using rows = await openRows();
  for (const now of [0, 3_000, 6_000]) noteAt(rows.db, now);
  expect(settlingMs(rows.db, 6_000)).toBe(0);

  noteHeartbeat(rows.db, new Date(9_001), 7_000);

  expect(settlingMs(rows.db, 7_000)).toBe(5_000);
});

test('a statement may take leases over until three seconds after the last heartbeat', async () => {
  await using rows = await openRows();
  const until = (now: number): string => takeOverUntil(rows.db, now);
  expect(until(0)).toBe('infinity'); // a process without heartbeats

  noteAt(rows.db, 0);
  noteAt(rows.db, 3_000);
  expect(until(4_999)).toBe('-infinity');
  expect([until(5_000), until(6_000)]).toEqual(['1970-01-01T00:00:06.000Z', '1970-01-01T00:00:06.000Z']);
  expect(until(6_001)).toBe('-infinity');
});

/** Notes a heartbeat at the same time by both clocks. */
function noteAt(db: EntityManager, now: number): void {
  noteHeartbeat(db, new Date(now), now);
}
