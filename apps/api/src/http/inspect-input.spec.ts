import { expect, test } from '@jest/globals';
import { inspectInput } from './inspect-input.ts';

const parse = (json: string): object => JSON.parse(json) as object;
const nest = (levels: number): object => parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

test.each<[string, object, string]>([
  ['a forbidden name', parse('{"a":{"__proto__":1}}'), 'a.__proto__ forbidden_field'],
  [
    'constructor in an array',
    parse('{"a":[{"b":[{"constructor":1}]}]}'),
    'a[0].b[0].constructor forbidden_field',
  ],
  ['prototype', { prototype: 1 }, 'prototype forbidden_field'],
  ['U+0000', { a: { b: ['x', 'y\0'] } }, 'a.b[1] invalid_character'],
  ['a lone surrogate', { a: '\ud800' }, 'a invalid_character'],
  ['a lone surrogate in a name', { '\udc00': 1 }, '\udc00 invalid_character'],
  ['infinity', parse('{"a":[1e999]}'), 'a[0] out_of_range'],
  ['33 levels', nest(33), `a${'.a'.repeat(31)} too_deep`],
  [
    'too many members',
    { a: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 1])) },
    'a too_many_keys',
  ],
  [
    'too many members of the body itself',
    Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 1])),
    'body too_many_keys',
  ],
])('%s is found with its path', (_name, input, expected) => {
  expect(inspectInput(input, true).map(({ field, rule }) => `${field} ${rule}`)).toEqual([expected]);
});

test('32 levels, 1,000 members, long arrays and other texts are accepted', () => {
  expect(inspectInput(nest(32), true)).toEqual([]);
  expect(
    inspectInput(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, null])), true),
  ).toEqual([]);
  expect(inspectInput({ to: Array.from({ length: 10_000 }, () => '😀\u2028\r\n') }, true)).toEqual([]);
});

test('up to 100 violations are reported, with paths of bounded length', () => {
  const found = inspectInput(
    { ['k'.repeat(5_000)]: '\0', list: Array.from({ length: 500 }, () => '\0') },
    true,
  );

  expect(found).toHaveLength(100);
  expect(found[0]!.field).toHaveLength(200);
});
