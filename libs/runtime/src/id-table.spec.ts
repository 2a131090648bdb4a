import { randomInt, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { IdTable } from './id-table.ts';

/** Adds and deletes entries at random, in a table and in a Map. @returns both */
function churn(keys: readonly string[], steps: number) {
  const table = new IdTable<number>();
  const model = new Map<string, number>();
  for (let step = 0; step < steps; step += 1) {
    const key = keys[randomInt(keys.length)]!;
    if (randomInt(2) === 0) {
      table.set(key, step);
      model.set(key, step);
    } else {
      table.delete(key);
      model.delete(key);
    }
  }
  return { table, model };
}

function expectSame(keys: readonly string[], { table, model }: ReturnType<typeof churn>): void {
  expect(keys.map((key) => table.get(key))).toEqual(keys.map((key) => model.get(key)));
  expect(keys.map((key) => table.has(key))).toEqual(keys.map((key) => model.has(key)));
}

test('it answers as a Map does', () => {
  const keys = Array.from({ length: 600 }, () => randomUUID());

  expectSame(keys, churn(keys, 20_000));
});

test('it answers as a Map does when it grows', () => {
  const keys = Array.from({ length: 20_000 }, () => randomUUID());

  expectSame(keys, churn(keys, 60_000));
});

test('it answers as a Map does when its keys have few hashes', () => {
  const keys = Array.from({ length: 300 }, (_, i) => `${randomUUID()}${i % 3}0000000`);

  expectSame(keys, churn(keys, 5_000));
});

test('it knows keys with the value undefined, and those that are empty', () => {
  const table = new IdTable<undefined>();
  table.set('', undefined);

  expect(table.has('')).toBe(true);
  table.delete('');
  expect(table.has('')).toBe(false);
});

test('entries that come and go leave nothing in the old generation', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
  const table = new IdTable<object>();
  const turn = (): void => {
    const ids = Array.from({ length: 500 }, () => randomUUID());
    for (const id of ids) table.set(id, { id, payload: Array.from({ length: 20 }, () => 1) });
    for (const id of ids) table.delete(id);
  };
  for (let i = 0; i < 4; i += 1) {
    turn();
    collect({ type: 'minor' });
  }
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200; i += 1) {
    turn();
    collect({ type: 'minor' });
  }

  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
});
