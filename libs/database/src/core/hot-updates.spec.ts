import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';

/** The columns that change on the way of a message from its acceptance to its pushes. */
const CHANGING: Record<string, readonly string[]> = {
  submission: ['fanned_from', 'fanned_upto', 'fanned_out_at'],
  message: [
    'status',
    'starts',
    'claimed_until',
    'gateway',
    'gateway_message_id',
    'err_code',
    'status_description',
    'operator_circle',
    'sent_at',
    'delivered_at',
    'read_at',
    'moved_by',
  ],
  message_event: ['settled_at', 'starts'],
};

test('no index names a column that changes on the way of a message', async () => {
  await using rows = await openRows();
  const indexes: { table: string; definition: string }[] = await rows.db.query(
    `SELECT tablename AS table, indexdef AS definition FROM pg_indexes WHERE tablename = ANY($1)`,
    [Object.keys(CHANGING)],
  );

  const named = indexes.flatMap(({ table, definition }) =>
    CHANGING[table]!.filter((column) => new RegExp(`[( ]${column}[,) ]`).test(definition)).map(
      (column) => `${table}.${column}`,
    ),
  );

  expect(indexes.length).toBeGreaterThan(10);
  expect(named).toEqual([]);
});

test('vacuum pauses on the tables that grow with each message', async () => {
  await using rows = await openRows();
  const tables: { name: string }[] = await rows.db.query(
    `SELECT relname AS name
       FROM pg_class
      WHERE 'autovacuum_vacuum_cost_delay=0' = ANY(reloptions)
      ORDER BY relname`,
  );
  const large = new RegExp(`^(${Object.keys(CHANGING).join('|')}|push)(_[0-9]|_default|$)`);

  expect(tables.map(({ name }) => name).filter((name) => large.test(name))).toEqual([]);
});
