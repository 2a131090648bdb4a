import { expect, test } from '@jest/globals';
import { rowsOf } from './queue-rows.ts';

const at = (minute: number, second = 0): string =>
  new Date(Date.UTC(2026, 0, 1, 9, minute, second)).toISOString();

const minute = (number: number, completed: number) => ({
  minute: at(number),
  completed,
  failed: 0,
  waiting: 0,
  active: 0,
  delayed: 0,
});

const shown = (minutes: ReturnType<typeof minute>[], readAt: string): unknown =>
  rowsOf(minutes, Date.parse(readAt)).map(({ at: start, values }) => [start, values['completed']]);

test('the minute in which the counts were read is left out', () => {
  const minutes = [minute(1, 60), minute(2, 60), minute(3, 4)];

  expect(shown(minutes, at(3, 5))).toEqual([
    [at(1), 60],
    [at(2), 60],
  ]);
  expect(shown(minutes, at(4))).toEqual([
    [at(1), 60],
    [at(2), 60],
    [at(3), 4],
  ]);
});

test('a minute without a worker has no value', () => {
  expect(shown([minute(1, 60), minute(3, 60)], at(5, 30))).toEqual([
    [at(1), 60],
    [at(2), null],
    [at(3), 60],
    [at(4), null],
  ]);
});

test('a queue without a full minute has no rows', () => {
  expect(shown([], at(1))).toEqual([]);
  expect(shown([minute(1, 3)], at(1, 30))).toEqual([]);
});
