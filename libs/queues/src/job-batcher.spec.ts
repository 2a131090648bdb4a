import { expect, test } from '@jest/globals';
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
