import { expect, test } from '@jest/globals';
import { validateSync } from 'class-validator';
import { DistinctTexts, DistinctWords } from './distinct-texts.ts';

class Listing {
  @DistinctTexts(2 ** 20)
  texts: unknown = [];

  @DistinctWords(['a', 'b'])
  words: unknown = [];
}

const brokenBy = (lists: Partial<Listing>): string[] =>
  validateSync(Object.assign(new Listing(), lists)).flatMap(({ constraints = {} }) =>
    Object.keys(constraints),
  );

test.each([
  [{ texts: ['a', 'b'], words: ['b', 'a'] }, []],
  [{ texts: ['a', 'b', 'a'] }, ['distinct']],
  [{ texts: [1, 2] }, ['isString']],
  [{ words: ['a', 'a'] }, ['distinct']],
  [{ words: ['a', 'c'] }, ['isIn']],
  [{ words: ['a', 'b', 'c'] }, ['isIn', 'arrayMaxSize']],
])('the lists %j break the rules %j', (lists, rules) => {
  expect(brokenBy(lists)).toEqual(rules);
});

test('a million different texts are compared in one pass', () => {
  expect(brokenBy({ texts: Array.from({ length: 2 ** 20 }, (_, i) => `${i}`) })).toEqual([]);
});
