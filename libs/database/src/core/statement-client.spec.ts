import { once } from 'node:events';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { openDataSource } from './data-source.ts';
import { StatementClient } from './statement-client.ts';

const STATEMENTS = 60;
const ROWS = 500;

test('rows that are no longer used are collected with the young generation', async () => {
  await using database = await createDatabase();
  await using opened = new AsyncDisposableStack();
  const { url } = database;
  const source = await openDataSource({ url, applicationName: 'test', poolSize: 1, commit: 'durable' });
  opened.defer(() => source.destroy());
  const read = (): Promise<unknown[]> =>
    source.query(`SELECT g, repeat('x', 100) || g AS text FROM generate_series(1, $1::integer) AS g`, [ROWS]);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  for (let i = 0; i < 10; i += 1) await read();
  collect();
  const before = oldBytes();

  for (let i = 0; i < STATEMENTS; i += 1) {
    expect(await read()).toHaveLength(ROWS);
    collect({ type: 'minor' });
  }

  // a row takes about 200 bytes
  expect(oldBytes() - before).toBeLessThan((STATEMENTS * ROWS * 200) / 4);
});

function oldBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return space!.space_used_size;
}

test.each([
  { of: 'its settings', query: '', settings: { query_timeout: 300 } },
  { of: 'the URL, which counts more', query: '?query_timeout=300', settings: { query_timeout: 60_000 } },
])('a statement without an answer within the limit of $of fails, and ends its connection', async (given) => {
  await using t = await stalled(given.query, given.settings);

  const ended = once(t.client, 'end');
  await expect(t.client.query('SELECT $1::integer', [1])).rejects.toThrow('Query read timeout');

  await ended;
});

test('a statement may have a limit that is only for it', async () => {
  await using t = await stalled('', {});

  const answer = t.client.query({ text: 'SELECT 1', query_timeout: 300 } as { text: string });

  await expect(answer).rejects.toThrow('Query read timeout');
});

test.each<{ of: string; args: unknown[] }>([
  { of: 'a text', args: ['SELECT 1'] },
  { of: 'a text with parameters', args: ['SELECT $1::integer', [1]] },
  { of: 'an object', args: [{ text: 'SELECT 1' }] },
])('a statement with a callback has the limit too: $of', async ({ args }) => {
  await using t = await stalled('', { query_timeout: 300 });
  const query = t.client.query.bind(t.client) as (...args: unknown[]) => void;

  const error = await new Promise((resolve) => query(...args, resolve));

  expect(error).toMatchObject({ message: 'Query read timeout' });
});

test('a connection that Postgres ends while nobody uses it does not end the process', async () => {
  await using database = await createDatabase();
  await using opened = new AsyncDisposableStack();
  const { url } = database;
  const source = await openDataSource({ url, applicationName: 'test', poolSize: 1, commit: 'durable' });
  opened.defer(() => source.destroy());
  const client = new StatementClient({ connectionString: url });
  await client.connect();
  const { rows } = (await client.query('SELECT pg_backend_pid() AS pid')) as { rows: { pid: number }[] };

  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await source.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);

  await ended;
  await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
});

test('an object takes its parameters from either argument', async () => {
  await using database = await createDatabase();
  const client = new StatementClient({ connectionString: database.url });
  await client.connect();
  const text = 'SELECT $1::integer AS n';

  const answers = [await client.query({ text }, [1]), await client.query({ text, values: [2] })] as {
    rows: unknown[];
  }[];
  await client.end();

  expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});

/** A connected client whose server does not answer. */
async function stalled(
  query: string,
  settings: { query_timeout?: number },
): Promise<{ client: StatementClient } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase());
  const proxy = opened.use(await startProxy(database.url));
  const client = new StatementClient({ connectionString: proxy.url + query, ...settings });
  await client.connect();
  proxy.set({ isStalled: true });
  const everything = opened.move();
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      proxy.set({});
      void client.end().catch(() => undefined);
      await everything.disposeAsync();
    },
  };
}
