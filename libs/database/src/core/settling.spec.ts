import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { noteHeartbeat, settlingMs } from './settling.ts';

test('messages are claimed again five seconds after the start of a process, and after an outage', async () => {
  await using rows = await openRows();
  const settlingAt = (now: number): number => settlingMs(rows.db, now);
  expect(settlingAt(0)).toBe(0); // a process without heartbeats

  noteHeartbeat(rows.db, 0);
  expect([settlingAt(0), settlingAt(4_000)]).toEqual([5_000, 1_000]);
  noteHeartbeat(rows.db, 4_000);
  expect([settlingAt(5_000), settlingAt(9_000)]).toEqual([0, 0]);

  expect(settlingAt(9_001)).toBe(5_000); // the database does not answer
  noteHeartbeat(rows.db, 20_000);
  expect([settlingAt(20_000), settlingAt(24_999), settlingAt(25_000)]).toEqual([5_000, 1, 0]);
});
