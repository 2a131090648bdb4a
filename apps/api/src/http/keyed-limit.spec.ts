import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { KeyedLimit, MAX_UNDER_KEY } from './keyed-limit.ts';

test('work under one key runs in order, while work under another key does not wait', async () => {
  const { limit, log, step } = setup();

  await Promise.all([step('a', 1), step('a', 2), limit.run('b', async () => void log.push('b'))]);

  expect(log).toEqual(['a1 starts', 'b', 'a1 ends', 'a2 starts', 'a2 ends']);
});

test('work that fails does not stop later work under its key', async () => {
  const { limit, log, step } = setup();

  const failed = limit.run('a', () => Promise.reject(new Error('first')));
  const second = step('a', 2);

  await expect(failed).rejects.toThrow('first');
  await second;
  expect(log).toEqual(['a2 starts', 'a2 ends']);
});

test('work beyond the limit of its key is refused, until earlier work has ended', async () => {
  const { limit, step } = setup();
  const waiting = Array.from({ length: MAX_UNDER_KEY }, (_, i) => step('a', i));

  await expect(step('a', MAX_UNDER_KEY)).rejects.toMatchObject({ code: 'rate_limited' });
  await step('b', 1);
  await Promise.all(waiting);
  await step('a', 1);

  expect(limit['calls'].size).toBe(0);
});

test('as much work under one key as the limit allows runs at the same time', async () => {
  const { log, step } = setup(2);

  await Promise.all([step('a', 1), step('a', 2), step('a', 3)]);

  expect(log.slice(0, 2)).toEqual(['a1 starts', 'a2 starts']);
  expect(log.indexOf('a3 starts')).toBeGreaterThan(log.indexOf('a1 ends'));
});

function setup(max?: number) {
  const limit = new KeyedLimit('the same code', max);
  const log: string[] = [];
  const step = (key: string, n: number): Promise<void> =>
    limit.run(key, async () => {
      log.push(`${key}${n} starts`);
      await setImmediate();
      log.push(`${key}${n} ends`);
    });
  return { limit, log, step };
}
