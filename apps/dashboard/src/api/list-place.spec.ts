import { expect, test } from '@jest/globals';
import { START, placeAfter, placeBack } from './list-place.ts';

const page = (rows: number, nextCursor: string | null) => ({
  data: Array.from({ length: rows }),
  nextCursor,
});

test('the place of a page counts the rows before it, and leads back', () => {
  const second = placeAfter(START, page(50, 'b'))!;
  const third = placeAfter(second, page(30, 'c'))!;

  expect([second.before, third.before]).toEqual([50, 80]);
  expect([79, 50, 49, 0].map((row) => placeBack(third, row).cursor)).toEqual([
    'b',
    'b',
    undefined,
    undefined,
  ]);
  expect(placeBack(third, 80)).toBe(third);
  expect(placeAfter(third, page(10, null))).toBeUndefined();
});
