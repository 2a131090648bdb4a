import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { lockCallbacks, insertCallbacks, markCallbacksProcessed } from './callbacks.ts';

const rows = await openSharedRows();

test('a callback is held by one transaction at a time, and by none once it is settled', async () => {
  const { db } = rows;
  const [first, second] = ['a', '\u0000\xff'].map((body) => ({
    id: randomUUIDv7(),
    gateway: 'chat-simulator',
    body: Buffer.from(body, 'latin1'),
  }));
  const ids = [first!.id, second!.id];
  await insertCallbacks(db, [first!, second!]);
  await db.transaction(async (one) => {
    expect(await lockCallbacks(one, ids)).toEqual([first, second]);
    expect(await lockCallbacks(db, ids)).toEqual([]);
    await markCallbacksProcessed(one, [{ id: first!.id, problem: null }]);
  });
  expect(await lockCallbacks(db, ids)).toEqual([second]);
  await markCallbacksProcessed(db, [{ id: second!.id, problem: 'The body is not JSON.' }]);
  expect(await lockCallbacks(db, ids)).toEqual([]);
  expect(await db.query(`SELECT problem FROM callback ORDER BY problem NULLS FIRST`)).toEqual([
    { problem: null },
    { problem: 'The body is not JSON.' },
  ]);
});
