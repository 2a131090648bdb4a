import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { LruMap } from './lru-map.ts';

test.each([
  { size: 1_000, entries: 10 },
  { size: 100, entries: 100 },
])('$entries entries of a map of $size take no more memory however often they are used', (given) => {
  const map = new LruMap<number, number>(given.size);
  for (let key = 0; key <= given.entries; key += 1) map.set(key, key);
  const use = (): void => {
    for (let i = 0; i < 200_000; i += 1) map.get(1 + (i % given.entries));
  };
  use();
  const before = keptBytes();
  use();

  expect(keptBytes() - before).toBeLessThan(1_000_000);
  expect(map.has(given.entries)).toBe(true);
});

function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test.each([1, 2, 3, 6, 9])('a map of %d keeps at least as many that were used last', (size) => {
  const map = new LruMap<number, number>(size);
  const written = new Map<number, number>();
  let used: number[] = [];
  for (let step = 0; step < 2_000; step += 1) {
    const key = Math.floor(Math.random() * 12);
    const isWrite = Math.random() < 0.5;
    const value = isWrite ? step : map.get(key);
    if (isWrite) map.set(key, step);
    else if (used.slice(-size).includes(key)) expect(value).toBe(written.get(key));
    else expect([undefined, written.get(key)]).toContain(value);
    if (isWrite) written.set(key, step);
    if (value !== undefined) used = [...used.filter((each) => each !== key), key];
  }
});

test('a map of 3 keeps at most twice as many', () => {
  const map = new LruMap<number, number>(3);
  for (let key = 0; key < 100; key += 1) map.set(key, key);

  const newestFirst = Array.from({ length: 100 }, (_, i) => 99 - i);
  const kept = newestFirst.filter((key) => map.has(key));

  expect(kept.length).toBeLessThanOrEqual(6);
  expect(kept.slice(0, 3)).toEqual([99, 98, 97]);
});

test('a map forgets what is deleted', () => {
  const map = new LruMap<string, number>(4);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);

  for (const key of ['a', 'c']) map.delete(key);

  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, undefined]);
});
