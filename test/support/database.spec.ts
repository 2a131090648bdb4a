import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase, queryOnce } from './database.ts';

test('two databases share nothing', async () => {
  await using one = await createDatabase();
  await using other = await createDatabase();
  await using first = await connect(one.url);
  await using second = await connect(other.url);

  await first.client.query('CREATE TABLE mine (id int)');

  expect((await first.client.query(`SELECT to_regclass('mine')::text AS name`)).rows).toEqual([
    { name: 'mine' },
  ]);
  expect((await second.client.query(`SELECT to_regclass('mine')::text AS name`)).rows).toEqual([
    { name: null },
  ]);
});

test('a database is dropped although somebody is still connected', async () => {
  const database = await createDatabase();
  await using forgotten = await connect(database.url);

  await database[Symbol.asyncDispose]();

  await expect(forgotten.client.query('SELECT 1')).rejects.toThrow();
});

test('a new database has the cached catalogs of the template', async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);

  const files = await queryOnce<{ file: string }>(
    process.env.TEST_POSTGRES_URL!,
    `SELECT pg_ls_dir('base/' || oid) AS file FROM pg_database WHERE datname = '${name}'`,
  );

  expect(files.map(({ file }) => file)).toContain('pg_internal.init');
});

async function connect(url: string): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
