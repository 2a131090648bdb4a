import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { erasePerson } from './erasure.ts';

const SIZE = 3_000;
const RECIPIENTS = Array.from({ length: SIZE }, (_, i) => String(919_800_000_000 + i));
const PERSON = RECIPIENTS[1]!;

test('an erased number loses its values in a bulk, and the others keep theirs', async () => {
  await using rows = await openRows();
  const id = await addBulk(rows.db);

  await erasePerson(rows.db, PERSON);

  const [bulk] = await rows.db.query(
    `SELECT recipients[1:3] AS recipients, custom -> 0 AS first, custom -> 1 AS second,
            jsonb_array_length(custom) AS size
       FROM submission
      WHERE id = $1`,
    [id],
  );
  expect(bulk).toEqual({
    recipients: [RECIPIENTS[0], '*******0000', RECIPIENTS[2]],
    first: ['value 0'],
    second: [],
    size: SIZE,
  });
});

test('the erasure of a number from a bulk does not read the bulk for each of its recipients', async () => {
  await using rows = await openRows();
  await addBulk(rows.db);

  expect(await countPages(rows.db, (db) => erasePerson(db, PERSON))).toBeLessThan(SIZE);
});

/** Stores a bulk with a value for each recipient, and the failed message to the person. */
async function addBulk(db: EntityManager): Promise<string> {
  const custom = RECIPIENTS.map((_, i) => [`value ${i}`]);
  const { id, accountId } = await accept(db, { recipients: RECIPIENTS, custom });
  await db.query(`DELETE FROM ready_sms`);
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, credits, lane, status, claimed_until)
     VALUES ($1, 2, $2, $3, 1, 'TRANS', 'FAILED', now())`,
    [id, accountId, PERSON],
  );
  return id;
}
