import { expect, test } from '@jest/globals';
import { LATENCY_BOUNDS_SECONDS, latencyAt } from './latency.ts';

test('no deliveries have no times', () => {
  expect(latencyAt(new Map(), 0.5)).toBeNull();
  expect(latencyAt(new Map([[3, 0]]), 0.5)).toBeNull();
});

test('a share is interpolated within its class', () => {
  const counts = new Map([
    [2, 50], // 0.5 to 1 s
    [8, 50], // 5 to 7 s
  ]);

  expect([latencyAt(counts, 0.25), latencyAt(counts, 0.5), latencyAt(counts, 0.75)]).toEqual([0.75, 1, 6]);
});

test('times in the last class are its lower bound', () => {
  expect(latencyAt(new Map([[LATENCY_BOUNDS_SECONDS.length, 1]]), 0.95)).toBe(172_800);
});

test('the bounds ascend', () => {
  expect([...LATENCY_BOUNDS_SECONDS].toSorted((a, b) => a - b)).toEqual([...LATENCY_BOUNDS_SECONDS]);
});
