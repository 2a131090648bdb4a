import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { rowset } from './rowset.ts';
import { sql } from './sql.ts';

interface Call {
  id: string;
  accountId: string;
  content: unknown;
  sealed: Buffer | null;
  recipients: string[];
  sentAt: Date | null;
  waits: boolean;
}

const CALL = rowset('call', {
  id: 'uuid',
  account_id: 'uuid',
  content: 'jsonb',
  sealed: 'bytea',
  recipients: ['text', (call: Call) => call.recipients.join(',')],
  sent_at: 'timestamptz',
  waits: 'boolean',
  place: ['integer', (_call: Call, i) => i],
});

const rows = await openSharedRows();

test('each column is declared once, with its type', () => {
  const { from, columns } = rowset('key', { submission_id: 'uuid', n: 'integer' });

  expect(from).toBe('unnest($1::uuid[], $2::integer[])\n  AS key(submission_id, n)');
  expect(columns).toBe('submission_id, n');
});

test('the first parameter may be another one than $1', () => {
  expect(rowset('key', { id: 'uuid', n: 'integer' }, 3).from).toContain('unnest($3::uuid[], $4::integer[])');
});

test('rows arrive as they were given', async () => {
  const call: Call = {
    id: '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66',
    accountId: '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e67',
    content: ['a', { b: 'c"d' }],
    sealed: Buffer.from([0, 255]),
    recipients: ['1', '2'],
    sentAt: new Date('2026-05-01T10:00:00.123Z'),
    waits: true,
  };
  const empty: Call = { ...call, content: null, sealed: null, sentAt: null };

  const stored: unknown[] = await rows.db.query(
    sql`
      SELECT *
        FROM ${CALL.from}
       ORDER BY place`,
    CALL.values([call, empty]),
  );

  const asStored = { id: call.id, account_id: call.accountId, recipients: '1,2', waits: true };
  expect(stored).toEqual([
    { ...asStored, content: call.content, sealed: call.sealed, sent_at: call.sentAt, place: 0 },
    { ...asStored, content: null, sealed: null, sent_at: null, place: 1 },
  ]);
});

test('a missing value is NULL', async () => {
  const given = rowset('given', { name: ['text', (row: { name?: string }) => row.name] });

  const [row] = await rows.db.query(`SELECT name IS NULL AS missing FROM ${given.from}`, given.values([{}]));

  expect(row).toEqual({ missing: true });
});

test('a column of one value is sent once, and read in all rows', async () => {
  const given = rowset('given', { id: 'integer', name: 'text', at: 'timestamptz' }, 1, ['name', 'at']);
  const at = new Date('2026-05-01T10:00:00.123Z');
  const read = (all: { id: number; name: string; at: Date }[]): Promise<unknown[]> =>
    rows.db.query(`SELECT * FROM ${given.from} ORDER BY id`, given.values(all));

  expect(
    given.values([
      { id: 1, name: 'a, b', at },
      { id: 1, name: 'a, b', at },
    ]),
  ).toEqual(['{1,1}', '{"a, b"}', '{2026-05-01T10:00:00.123Z}']);
  expect(
    await read([
      { id: 1, name: 'a', at },
      { id: 2, name: 'a', at },
    ]),
  ).toEqual([
    { id: 1, name: 'a', at },
    { id: 2, name: 'a', at },
  ]);
});

test.each<[string, (string | null)[]]>([
  ['no rows', []],
  ['one row', ['a']],
  ['one row without a value', [null]],
  ['other values', ['a', 'b', 'a']],
  ['a value and none', ['a', null]],
  ['none and a value', [null, 'a']],
  ['none', [null, null]],
])('a column that may be sent once keeps %s', async (_, names) => {
  const given = rowset('given', { id: 'integer', name: 'text' }, 1, ['name']);
  const all = names.map((name, id) => ({ id, name }));

  for (const from of [given.from, given.sorted('id')])
    expect(await rows.db.query(`SELECT * FROM ${from} ORDER BY id`, given.values(all))).toEqual(all);
});

test('no line of a long list is wider than a screen', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`column_${i}`, 'timestamptz' as const]),
  );

  for (const line of rowset('wide', many).from.split('\n')) expect(line.length).toBeLessThan(100);
});

test('texts that an array reads otherwise arrive as they are', async () => {
  const given = rowset('given', { name: 'text', data: 'bytea' });
  const names = [
    '',
    'null',
    'NULL',
    'a,b',
    '{}',
    '"',
    String.raw`\\"`,
    ' a\n',
    '\u00a0',
    'é€😀',
    "'",
    '(',
    'NULLS',
  ];

  const stored: { name: string; data: Buffer }[] = await rows.db.query(
    `SELECT name, data FROM ${given.from}`,
    given.values(names.map((name) => ({ name, data: Buffer.from(name) }))),
  );

  expect(stored.map(({ name }) => name)).toEqual(names);
  expect(stored.map(({ data }) => data.toString())).toEqual(names);

  const [list] = await rows.db.query('SELECT $1::text[] AS names', [names]);
  expect(list).toEqual({ names });
});
