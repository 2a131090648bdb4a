import { expect, test } from '@jest/globals';
import { splitList } from './rules.ts';

test.each([
  ['919800000001', ['919800000001']],
  ['  a , b  ,c ', ['a', 'b', 'c']],
  ['a b,\tc', ['a b', '\tc']],
  ['a,,b', ['a', '', 'b']],
  [' , a', ['', 'a']],
  ['a, ', ['a']],
  [' ', ['']],
  ['', ['']],
])('the list in %j is %j', (text, items) => {
  expect(splitList(text)).toEqual(items);
});

test('a list splits in one pass, also with a million spaces between two characters', () => {
  const item = `9${' '.repeat(2 ** 20)}9`;
  expect(splitList(` ${item} ,x`)).toEqual([item, 'x']);
});
