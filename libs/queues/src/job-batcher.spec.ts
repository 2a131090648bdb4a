import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { JobBatcher } from './job-batcher.ts';

test('rows enqueued while an add is in flight share jobs of at most the maximum weight', async () => {
  const jobs: string[][] = [];
  const batcher = new JobBatcher({
    add: async (ids) => void jobs.push(ids),
    maxWeight: 3,
    onFailed: () => undefined,
  });

  batcher.enqueue(['a', 'b', 'c', 'd']);
  batcher.enqueue(['large'], 3);
  await batcher.close();

  expect(jobs).toEqual([['a', 'b', 'c'], ['d'], ['large']]);
});

test('an add that fails is reported once with its rows', async () => {
  const lost: string[][] = [];
  const batcher = new JobBatcher({
    add: () => Promise.reject(new Error('away')),
    maxWeight: 10,
    onFailed: (_, ids) => lost.push(ids),
  });

  batcher.enqueue(['a', 'b']);
  await batcher.close();

  expect(lost).toEqual([['a', 'b']]);
});

test('an add that hangs counts as failed and the next rows are tried', async () => {
  const lost: string[][] = [];
  const jobs: string[][] = [];
  let hangs = true;
  const add = (ids: string[]): Promise<void> =>
    hangs ? new Promise(() => undefined) : Promise.resolve(void jobs.push(ids));
  const batcher = new JobBatcher({
    add,
    maxWeight: 10,
    timeoutMs: 20,
    onFailed: (_, ids) => (lost.push(ids), (hangs = false)),
  });

  batcher.enqueue(['a']);
  await batcher.close();
  expect(lost).toEqual([['a']]);

  const next = new JobBatcher({ add, maxWeight: 10, onFailed: () => undefined });
  next.enqueue(['b']);
  await next.close();
  expect(jobs).toEqual([['b']]);
});

test('rows beyond the maximum are dropped and reported once', async () => {
  const [jobs, lost]: [string[][], string[][]] = [[], []];
  const batcher = new JobBatcher({
    add: async (ids) => void jobs.push(ids),
    maxWeight: 500,
    onFailed: (_, ids) => lost.push(ids),
  });

  batcher.enqueue(['fits'], 99_999);
  batcher.enqueue(['last', 'over', 'over too']);
  await batcher.close();

  expect(jobs.flat()).toEqual(['fits', 'last']);
  expect(lost).toEqual([['over', 'over too']]);
});

test('a row that comes after the close is reported as lost', async () => {
  const lost: string[][] = [];
  const batcher = new JobBatcher({
    add: async () => undefined,
    maxWeight: 10,
    onFailed: (_, ids) => lost.push(ids),
  });
  await batcher.close();

  batcher.enqueue(['late']);

  expect(lost).toEqual([['late']]);
});

describe('the gap between jobs', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  test.each([20, 460])('grows with the load to 25 ms, with %d rows in each', async (rows) => {
    const t = setup();
    expect(await t.gaps(rows, 5)).toEqual([10, 20, 25, 25, 25]);
  });

  test('is 25 to 50 ms when jobs only wake rounds', async () => {
    const t = setup({ wakesRounds: true });
    expect(await t.gaps(20, 3)).toEqual([25, 50, 50]);
    expect(await t.gaps(1, 3)).toEqual([50, 25, 25]);
  });

  test('shrinks again when few rows come', async () => {
    const t = setup();
    await t.gaps(20, 4);
    expect(await t.gaps(1, 3)).toEqual([25, 12, 10]);
  });

  test('of urgent rows stays short', async () => {
    const t = setup({ isUrgent: true });
    expect(await t.gaps(20, 4)).toEqual([10, 10, 10, 10]);
  });

  test('ends when there are enough rows', async () => {
    const t = setup();
    await t.gaps(20, 4);

    expect(await t.gaps(500, 2)).toEqual([0, 0]);
  });
});

/** A batcher under fake timers, that has just added a job. */
function setup(options: { isUrgent?: boolean; wakesRounds?: boolean } = {}) {
  const jobs: string[][] = [];
  const batcher = new JobBatcher({
    add: async (ids) => void jobs.push(ids),
    maxWeight: 1_000,
    onFailed: () => undefined,
    ...options,
  });
  batcher.enqueue(['first']);
  const settle = async (): Promise<void> => {
    for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
  };
  /** Enqueues rows in each of the next gaps. Returns the lengths of the gaps in milliseconds. */
  const gaps = async (rows: number, count: number): Promise<number[]> => {
    const lengths: number[] = [];
    for (let gap = 0; gap < count; gap += 1) {
      await settle();
      const before = jobs.length;
      batcher.enqueue(Array.from({ length: rows }, (_, i) => `row ${i}`));
      await settle();
      const startedAt = Date.now();
      while (jobs.length === before) {
        jest.advanceTimersToNextTimer();
        await settle();
      }
      lengths.push(Date.now() - startedAt);
    }
    return lengths;
  };
  return { gaps };
}
