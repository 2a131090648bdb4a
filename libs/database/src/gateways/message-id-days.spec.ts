import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { newMessageId } from '@signalbox/test/rows';
import { dropIdDays, makeIdDays } from './message-id-days.ts';
import { findGatewayIds, insertMessageIds } from './message-ids.ts';

const rows = await openSharedRows();

const ROW = newMessageId('1', { gateway: 'smsc' });

async function listDays(): Promise<string[]> {
  const days: { name: string }[] = await rows.db.query(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = 'gateway_message_id'::regclass ORDER BY 1`,
  );
  return days.map(({ name }) => name.replace('gateway_message_id_', ''));
}

test('ids have a day from the first, and days are dropped with them', async () => {
  const { db } = rows;
  // before the first pass there are no days
  await insertMessageIds(db, [ROW]);
  await db.transaction(makeIdDays);
  await db.transaction(makeIdDays);
  const days = await listDays();
  // today stays in the default partition, which has a row of it
  expect(days).toHaveLength(4);
  expect(days.at(-1)).toBe('default');
  expect(await findGatewayIds(db, 'smsc', ['1'])).toHaveLength(1);

  await db.query(`UPDATE gateway_message_id_default SET day = day - 6`);
  await db.query(
    `CREATE TABLE gateway_message_id_20200101 PARTITION OF gateway_message_id FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
  );
  expect(await db.transaction((own) => dropIdDays(own, 6))).toBe(0);
  expect(await db.transaction((own) => dropIdDays(own, 5))).toBe(1);

  expect(await listDays()).toEqual(days);
  expect(await findGatewayIds(db, 'smsc', ['1'])).toEqual([]);
  await db.transaction(makeIdDays);
  expect(await listDays()).toHaveLength(5);
  await insertMessageIds(db, [ROW, { ...ROW, gatewayMessageId: '2' }]);
  await insertMessageIds(db, [ROW]);
  expect(await findGatewayIds(db, 'smsc', ['1', '2', '3'])).toHaveLength(2);
  expect(await db.query(`SELECT FROM gateway_message_id_default`)).toEqual([]);
});

test('an id that was given before for a recipient is named with the next row of it', async () => {
  const { db } = rows;
  await insertMessageIds(db, [{ ...ROW, gateway: 'again' }]);

  const given = (changes: object) =>
    insertMessageIds(db, [{ ...ROW, gateway: 'again', n: 2, ...changes }], ['1']);
  expect(await given({ recipient: '919800000002' })).toEqual([]);
  expect(await given({ gateway: 'other' })).toEqual([]);
  expect(await given({})).toEqual([{ gateway: 'again', gatewayMessageId: '1' }]);
});
