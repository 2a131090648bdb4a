import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { setHostClock } from '@signalbox/test/clocks';
import { CachedLookup } from './cached-lookup.ts';

/** A lookup that doubles its keys, odd ones excepted, and counts its statements. */
function setup({ freshMs = 60_000, maxCached = 100 } = {}) {
  const statements: number[][] = [];
  const find = async (keys: { n: number }[]): Promise<(number | undefined)[]> => {
    statements.push(keys.map(({ n }) => n));
    return keys.map(({ n }) => (n % 2 === 0 ? n * 2 : undefined));
  };
  return { statements, lookup: new CachedLookup(find, { freshMs, maxCached, keyOf: ({ n }) => `${n}` }) };
}

test('a key is looked up once while its answer is fresh', async () => {
  const { lookup, statements } = setup();

  expect([await lookup.find({ n: 2 }), await lookup.find({ n: 2 })]).toEqual([4, 4]);
  expect(statements).toEqual([[2]]);
});

test('an answer of "not found" is cached as well', async () => {
  const { lookup, statements } = setup();

  expect([await lookup.find({ n: 1 }), await lookup.find({ n: 1 })]).toEqual([undefined, undefined]);
  expect(lookup.peek({ n: 1 })).toMatchObject({ value: undefined });
  expect(statements).toEqual([[1]]);
});

test('a stale answer is looked up again', async () => {
  const { lookup, statements } = setup({ freshMs: 20 });
  await lookup.find({ n: 2 });
  await setTimeout(30);

  expect(lookup.peek({ n: 2 })).toBeUndefined();
  await lookup.find({ n: 2 });

  expect(statements).toEqual([[2], [2]]);
});

test('an answer becomes stale when the clock of the host is set back', async () => {
  const { lookup } = setup({ freshMs: 20 });
  await lookup.find({ n: 2 });
  using _ = setHostClock(-3_600_000);
  await setTimeout(30);

  expect(lookup.peek({ n: 2 })).toBeUndefined();
});

test('concurrent calls share a statement', async () => {
  const { lookup, statements } = setup();
  void lookup.find({ n: 0 });

  await Promise.all([lookup.find({ n: 2 }), lookup.find({ n: 4 }), lookup.find({ n: 6 })]);

  expect(statements.length).toBeLessThan(4);
  expect(statements.flat()).toEqual([0, 2, 4, 6]);
});

test('a failure is not cached', async () => {
  let calls = 0;
  const find = async (keys: string[]): Promise<string[]> => {
    calls += 1;
    if (calls === 1) throw new Error('away');
    return keys;
  };
  const lookup = new CachedLookup(find, { freshMs: 60_000, maxCached: 10 });

  await expect(lookup.find('a')).rejects.toThrow('away');
  expect(await lookup.find('a')).toBe('a');
});

test('a full cache keeps the answers that were used last', async () => {
  const { lookup } = setup({ maxCached: 4 });
  await lookup.find({ n: 2 });
  await lookup.find({ n: 4 });
  lookup.peek({ n: 2 });

  await lookup.find({ n: 6 });

  expect([2, 4, 6].filter((n) => lookup.peek({ n }))).toEqual([2, 6]);
});

test('keys that are not found replace no answers', async () => {
  const found: number[] = [];
  const lookup = new CachedLookup(
    async (keys: string[]) => {
      found.push(keys.length);
      return keys.map((key) => (key === 'known' ? 1 : undefined));
    },
    { freshMs: 60_000, maxCached: 10 },
  );
  await lookup.find('known');

  await Promise.all(Array.from({ length: 100 }, (_, i) => lookup.find(`made up ${i}`)));

  expect(lookup.peek('known')).toMatchObject({ value: 1 });
});
