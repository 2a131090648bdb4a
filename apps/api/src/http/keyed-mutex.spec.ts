import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { KeyedMutex, MAX_UNDER_KEY } from './keyed-mutex.ts';

test('work under one key runs in order, while work under another key does not wait', async () => {
  const { mutex, log, step } = setup();

  await Promise.all([step('a', 1), step('a', 2), mutex.run('b', async () => void log.push('b'))]);

  expect(log).toEqual(['a1 starts', 'b', 'a1 ends', 'a2 starts', 'a2 ends']);
});

test('work that fails does not stop later work under its key', async () => {
  const { mutex, log, step } = setup();

  const failed = mutex.run('a', () => Promise.reject(new Error('first')));
  const second = step('a', 2);

  await expect(failed).rejects.toThrow('first');
  await second;
  expect(log).toEqual(['a2 starts', 'a2 ends']);
});

test('work beyond the limit of its key is refused, until earlier work has ended', async () => {
  const { mutex, step } = setup();
  const waiting = Array.from({ length: MAX_UNDER_KEY }, (_, i) => step('a', i));

  await expect(step('a', MAX_UNDER_KEY)).rejects.toMatchObject({ code: 'rate_limited' });
  await step('b', 1);
  await Promise.all(waiting);
  await step('a', 1);

  expect(mutex['queues'].size).toBe(0);
});

function setup(): { mutex: KeyedMutex; log: string[]; step: (key: string, n: number) => Promise<void> } {
  const mutex = new KeyedMutex('the same code');
  const log: string[] = [];
  const step = (key: string, n: number): Promise<void> =>
    mutex.run(key, async () => {
      log.push(`${key}${n} starts`);
      await setImmediate();
      log.push(`${key}${n} ends`);
    });
  return { mutex, log, step };
}
