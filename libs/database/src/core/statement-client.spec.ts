import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { openDataSource } from './data-source.ts';

const STATEMENTS = 60;
const ROWS = 500;

test('rows that are no longer used are collected with the young generation', async () => {
  await using database = await createDatabase();
  const source = await openDataSource({
    url: database.url,
    applicationName: 'test',
    poolSize: 1,
    commit: 'durable',
  });
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
  await source.destroy();
});

function oldBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return space!.space_used_size;
}
