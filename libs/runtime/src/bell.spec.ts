import { expect, test } from '@jest/globals';
import { Bell } from './bell.ts';

test('rings made while an enqueue is in flight share one job, and no job carries more than its weight', async () => {
  const jobs: string[][] = [];
  const bell = new Bell({
    enqueue: async (ids) => void jobs.push(ids),
    maxBatch: 3,
    onLost: () => undefined,
  });

  bell.ring(['a', 'b', 'c', 'd']);
  bell.ring(['large'], 3);
  await bell.close();

  expect(jobs).toEqual([['a', 'b', 'c'], ['d'], ['large']]);
});

test('a queue that refuses costs nobody anything but a line', async () => {
  const lost: string[][] = [];
  const bell = new Bell({
    enqueue: () => Promise.reject(new Error('away')),
    maxBatch: 10,
    onLost: (_, ids) => lost.push(ids),
  });

  bell.ring(['a', 'b']);
  await bell.close();

  expect(lost).toEqual([['a', 'b']]);
});

test('a queue that hangs is given up on, and the next ring is tried', async () => {
  const lost: string[][] = [];
  const jobs: string[][] = [];
  let hangs = true;
  const enqueue = (ids: string[]): Promise<void> =>
    hangs ? new Promise(() => undefined) : Promise.resolve(void jobs.push(ids));
  const bell = new Bell({
    enqueue,
    maxBatch: 10,
    timeoutMs: 20,
    onLost: (_, ids) => (lost.push(ids), (hangs = false)),
  });

  bell.ring(['a']);
  await bell.close();
  expect(lost).toEqual([['a']]);

  const next = new Bell({ enqueue, maxBatch: 10, onLost: () => undefined });
  next.ring(['b']);
  await next.close();
  expect(jobs).toEqual([['b']]);
});
