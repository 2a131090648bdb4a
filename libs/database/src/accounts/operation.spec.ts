import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { untilOneWaits } from '@signalbox/test/locks';
import { openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { insertAccount } from './operation.ts';

test('an account waits for one that is being created, and does not take its name', async () => {
  await using t = await openRows();
  const create = (db: EntityManager): Promise<boolean> =>
    insertAccount(db, { id: randomUUIDv7(), name: 'One', smsPerSecond: null, limits: {} });

  const second = await t.db.transaction(async (first) => {
    expect(await create(first)).toBe(true);
    const answer = t.db.transaction(create);
    await untilOneWaits(t.db);
    return { answer };
  });

  expect(await second.answer).toBe(false);
});
