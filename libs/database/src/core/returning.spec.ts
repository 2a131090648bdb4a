import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { countChanged, returning } from './returning.ts';

test('rows that an update changes are returned, and counted', async () => {
  await using t = await openRows();
  await t.db.query(`INSERT INTO account (id, name) VALUES (uuidv7(), 'one'), (uuidv7(), 'two')`);

  expect(
    await returning(t.db, `UPDATE account SET name = 'new' WHERE name = $1 RETURNING name`, ['one']),
  ).toEqual([{ name: 'new' }]);
  expect(await countChanged(t.db, `UPDATE account SET status = 'suspended'`)).toBe(2);
  expect(await countChanged(t.db, `DELETE FROM account WHERE name = $1`, ['nobody'])).toBe(0);
});
