import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { beat, leave } from './live-workers.ts';

test('workers of a fleet see one another, and none of another fleet', async () => {
  await using rows = await openRows();
  const [a, b, stranger] = [randomUUID(), randomUUID(), randomUUID()];

  expect(await beat(rows.db, 'sms', a)).toEqual([a]);
  await beat(rows.db, 'dlr', stranger);

  expect((await beat(rows.db, 'sms', b)).toSorted()).toEqual([a, b].toSorted());
  expect((await beat(rows.db, 'sms', a)).toSorted()).toEqual([a, b].toSorted());
});

test('a worker that deregistered or fell silent is gone at the next beat of another', async () => {
  await using rows = await openRows();
  const [a, gone, dead] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [a, gone, dead]) await beat(rows.db, 'sms', id);

  await leave(rows.db, 'sms', gone);
  await rows.db.query(`UPDATE live_worker SET seen_at = now() - interval '4 seconds' WHERE id = $1`, [dead]);

  expect(await beat(rows.db, 'sms', a)).toEqual([a]);
  expect(await rows.db.query('SELECT id FROM live_worker')).toEqual([{ id: a }]);
});

test('a beat hands over the time of the database', async () => {
  await using rows = await openRows();
  const times: Date[] = [];

  for (const id of [randomUUID(), randomUUID()]) await beat(rows.db, 'sms', id, (at) => void times.push(at));

  expect(times).toEqual([expect.any(Date), expect.any(Date)]);
});
