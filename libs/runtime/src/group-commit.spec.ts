import { expect, jest, test } from '@jest/globals';
import { ClosedError, GroupCommit, type GroupCommitOptions, OverloadedError } from './group-commit.ts';

test('calls that arrive while a flush is in flight share the next flush', async () => {
  const { commit, flushes, finish } = setup();
  const first = commit.add(1);
  await flushes.reach(1);
  const rest = [commit.add(2), commit.add(3), commit.add(4)];

  finish();
  await flushes.reach(2);
  finish();

  expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40]);
  expect(flushes.seen).toEqual([[1], [2, 3, 4]]);
});

test('a failed flush rejects its own callers only', async () => {
  const { commit, flushes, finish, fail } = setup();
  const first = commit.add(1);
  await flushes.reach(1);
  const second = commit.add(2);

  fail(new Error('the disk is full'));
  await expect(first).rejects.toThrow('the disk is full');
  await flushes.reach(2);
  finish();

  expect(await second).toBe(20);
});

test('a refused item rejects its own caller only', async () => {
  const flush = async (items: number[]): Promise<number[]> => {
    if (items.includes(3)) throw new RangeError('3 is refused');
    return items.map((n) => n * 10);
  };
  const isItemFault = (error: unknown): boolean => error instanceof RangeError;
  const commit = new GroupCommit(flush, { maxBatch: 100, maxWaiting: 1_000, isItemFault });

  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => commit.add(n)));

  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
    10,
    20,
    'refused',
    40,
    50,
  ]);
});

test('an item that is flushed already keeps its result when the rest of its flush fails', async () => {
  const flush = async (items: number[]): Promise<number[]> => {
    if (items.length > 2) throw new RangeError('refused');
    if (items.includes(4)) throw new Error('the connection is lost');
    return items.map((n) => n * 10);
  };
  const isItemFault = (error: unknown): boolean => error instanceof RangeError;
  const commit = new GroupCommit(flush, { maxBatch: 100, maxWaiting: 1_000, isItemFault });
  const ends: (number | string)[] = [];
  const end = { resolve: (n: number) => ends.push(n), reject: (error: unknown) => ends.push(String(error)) };

  for (const n of [1, 2, 3, 4]) commit.put(n, end);
  await commit.close();

  expect(ends).toEqual([10, 20, 'Error: the connection is lost', 'Error: the connection is lost']);
});

test('a flush carries at most its maximum weight, and a heavier item alone', async () => {
  const { commit, flushes, finish } = setup({ maxBatch: 10, maxWaiting: 1_000, weigh: (n) => n });
  const all = [1, 9, 1, 50, 3].map((n) => commit.add(n));
  for (const count of [1, 2, 3, 4]) {
    await flushes.reach(count);
    finish();
  }

  await Promise.all(all);
  expect(flushes.seen).toEqual([[1, 9], [1], [50], [3]]);
});

test('calls beyond the maximum waiting weight are refused', async () => {
  const { commit, flushes, finish } = setup({ maxBatch: 2, maxWaiting: 3 });
  const taken = [commit.add(1)];
  await flushes.reach(1);
  taken.push(commit.add(2), commit.add(3), commit.add(4));

  await expect(commit.add(5)).rejects.toBeInstanceOf(OverloadedError);

  for (const count of [1, 2, 3]) {
    await flushes.reach(count);
    finish();
  }
  expect(await Promise.all(taken)).toEqual([10, 20, 30, 40]);
});

test('accounts share a flush that cannot hold all that waits', async () => {
  const { commit, flushes, finish } = setup({ maxBatch: 4, accountOf });
  const all = [commit.add(1)];
  await flushes.reach(1);
  all.push(...[11, 12, 13, 14, 15, 16, 21, 31].map((n) => commit.add(n)));
  for (const count of [1, 2, 3]) {
    await flushes.reach(count);
    finish();
  }

  await Promise.all(all);
  expect(flushes.seen).toEqual([[1], [11, 21, 31, 12], [13, 14, 15, 16]]);
});

test('an account leaves room in which others may wait', async () => {
  const { commit, flushes, finish } = setup({ maxBatch: 100, maxWaiting: 10, accountOf });
  const first = commit.add(1);
  await flushes.reach(1);
  const waiting = [11, 12, 13, 14, 15, 16, 21, 22, 23, 31].map((n) => commit.add(n));
  const results = Promise.allSettled(waiting);
  finish();
  await flushes.reach(2);
  finish();

  await first;
  const refused = (await results).map(({ status }) => status === 'rejected');
  expect(refused).toEqual([false, false, false, false, false, true, false, false, true, false]);
  expect(commit['weights'].size).toBe(0);
});

test('a call made around the end of a flush is flushed too', async () => {
  const commit = new GroupCommit(async (items: number[]) => items, { maxBatch: 100, maxWaiting: 1_000 });

  for (let turns = 0; turns < 12; turns += 1) {
    await commit.add(turns);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    expect(await commit.add(turns)).toBe(turns);
  }
});

test('after a flush of many items the next one waits for a whole batch, or for its gap', async () => {
  const { commit, flushes, finish } = setup({ maxBatch: 20, gapMs: 3_600_000 });
  const many = Array.from({ length: 16 }, (_, n) => commit.add(n));
  await flushes.reach(1);
  finish();
  await Promise.all(many);

  const some = Array.from({ length: 19 }, (_, n) => commit.add(n));
  await new Promise(setImmediate);
  expect(flushes.seen).toHaveLength(1);
  some.push(commit.add(19));
  await flushes.reach(2);
  finish();
  await Promise.all(some);
  const last = commit.add(20);
  const closed = commit.close(); // ends the gap
  await flushes.reach(3);
  finish();
  await closed;

  expect(await last).toBe(200);
  expect(flushes.seen.map((items) => items.length)).toEqual([16, 20, 1]);
});

test.each([16, 8])('the gap after a flush of %d items ends once enough wait', async (flushed) => {
  const { commit, flushes, finish } = setup({ gapMs: 3_600_000, gapItems: 6 });
  const first = Array.from({ length: flushed }, (_, n) => commit.add(n));
  await flushes.reach(1);
  finish();
  await Promise.all(first);

  const next = [1, 2, 3, 4, 5].map((n) => commit.add(n));
  await new Promise(setImmediate);
  expect(flushes.seen).toHaveLength(1);
  next.push(commit.add(6));
  await flushes.reach(2);
  finish();

  expect(await Promise.all(next)).toEqual([10, 20, 30, 40, 50, 60]);
});

test('after a flush of several items the next one waits for as many', async () => {
  const { commit, flushes, finish } = setup({ gapMs: 3_600_000 });
  const several = [1, 2, 3, 4].map((n) => commit.add(n));
  await flushes.reach(1);
  finish();
  await Promise.all(several);

  const next = [5, 6, 7].map((n) => commit.add(n));
  await new Promise(setImmediate);
  expect(flushes.seen).toHaveLength(1);
  next.push(commit.add(8));
  await flushes.reach(2);
  finish();

  expect(await Promise.all(next)).toEqual([50, 60, 70, 80]);
});

test('a flush is forgotten after some smaller ones, and the next one does not wait', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance'] });
  try {
    const { commit, flushes, finish } = setup({ gapMs: 30 });
    const several = [1, 2, 3, 4].map((n) => commit.add(n));
    await flushes.reach(1);
    finish();
    await Promise.all(several);

    for (let smaller = 1; smaller <= 6; smaller += 1) {
      const one = commit.add(smaller);
      await new Promise(setImmediate);
      expect(flushes.seen).toHaveLength(smaller);
      jest.advanceTimersByTime(30);
      await flushes.reach(1 + smaller);
      finish();
      await one;
    }
    const last = commit.add(7);
    await flushes.reach(8);
    finish();

    expect(await last).toBe(70);
  } finally {
    jest.useRealTimers();
  }
});

test('close waits for accepted calls and refuses later ones', async () => {
  const { commit, flushes, finish } = setup();
  const first = commit.add(1);
  await flushes.reach(1);
  const second = commit.add(2);
  const closed = commit.close();

  await expect(commit.add(3)).rejects.toBeInstanceOf(ClosedError);
  finish();
  await flushes.reach(2);
  finish();

  await closed;
  expect(await Promise.all([first, second])).toEqual([10, 20]);
});

/** The account of an item: its tens. */
function accountOf(item: number): string {
  return String(Math.floor(item / 10));
}

/** A group commit whose flushes end when the test says so; the result of an item is ten times the item. */
function setup(options: Partial<GroupCommitOptions<number>> = {}) {
  const seen: number[][] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  let current:
    | { items: number[]; resolve: (results: number[]) => void; reject: (error: Error) => void }
    | undefined;
  const flush = (items: number[]): Promise<number[]> => {
    seen.push(items);
    const result = new Promise<number[]>((resolve, reject) => (current = { items, resolve, reject }));
    for (const waiter of waiters) if (seen.length >= waiter.count) waiter.resolve();
    return result;
  };
  const reach = (count: number): Promise<void> =>
    new Promise((resolve) => (seen.length >= count ? resolve() : waiters.push({ count, resolve })));
  return {
    commit: new GroupCommit(flush, { maxBatch: 100, maxWaiting: 1_000, ...options }),
    flushes: { seen, reach },
    finish: () => current?.resolve(current.items.map((n) => n * 10)),
    fail: (error: Error) => current?.reject(error),
  };
}
