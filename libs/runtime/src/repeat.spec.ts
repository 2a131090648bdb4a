import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { repeat } from './repeat.ts';

const LOGGER = createLogger('test', 'info', { write: () => undefined });

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

test('a duty is repeated less often once it has found nothing for two seconds', async () => {
  const passes: number[] = [];
  const foundUntil = 1_000;
  const duty = repeat(
    'duty',
    { everyMs: 500, idleMs: 2_000 },
    async () => {
      passes.push(Date.now());
      return Date.now() <= foundUntil || Date.now() === 7_500;
    },
    LOGGER,
  );

  await jest.advanceTimersByTimeAsync(9_000);
  await duty.stop();

  expect(passes).toEqual([500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 5_500, 7_500, 8_000, 8_500, 9_000]);
});

test('a duty that does not say what it found keeps its interval', async () => {
  const passes: number[] = [];
  const duty = repeat(
    'duty',
    { everyMs: 1_000, idleMs: 10_000 },
    async () => {
      passes.push(Date.now());
    },
    LOGGER,
  );

  await jest.advanceTimersByTimeAsync(5_000);
  await duty.stop();

  expect(passes).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
});

test('the first pass of a duty may come before its interval has passed', async () => {
  const passes: number[] = [];
  const duty = repeat(
    'duty',
    { everyMs: 1_000, firstMs: 300 },
    async () => {
      passes.push(Date.now());
    },
    LOGGER,
  );

  await jest.advanceTimersByTimeAsync(3_000);
  await duty.stop();

  expect(passes).toEqual([300, 1_300, 2_300]);
});
