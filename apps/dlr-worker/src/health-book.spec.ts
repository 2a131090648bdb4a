import { expect, test } from '@jest/globals';
import { HealthBook } from './health-book.ts';

test('an end point that is well is not told of; its calls are, together with the first that fails', () => {
  const book = new HealthBook();
  for (let call = 0; call < 3; call += 1) book.note('a', true, false, false);
  expect(book.take()).toEqual([]);

  book.note('a', false, false, false);

  expect(book.take()).toMatchObject([
    { webhookId: 'a', calls: 4, failures: 1, succeeded: true, failuresInRow: 1, probe: null },
  ]);
  expect(book.take()).toEqual([]);
});

test('a success is told where the others know of failures', () => {
  const book = new HealthBook();
  book.note('a', true, true, false);

  expect(book.take()).toMatchObject([
    { calls: 1, failures: 0, succeeded: true, failuresInRow: 0, failingForMs: 0 },
  ]);
});

test('a probe, and enough failures in a row to open a breaker, are told at once', () => {
  const book = new HealthBook();

  expect(Array.from({ length: 11 }, () => book.note('a', false, false, false)).indexOf(true)).toBe(9);
  expect(book.note('b', true, true, true)).toBe(true);
  expect(book.take()).toMatchObject([{ webhookId: 'a' }, { webhookId: 'b', probe: 'ok' }]);
});
