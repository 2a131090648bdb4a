import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from './parse-body.ts';
import { type Source, SourceError, compilePath, compileSource } from './source.ts';

const find = (source: Source, text: string): string[] => source({ text, value: parseJson(text) });

describe('a path', () => {
  const body = JSON.stringify({
    messages: [
      { 'message-id': 'a', status: 0 },
      { 'message-id': 'b', ok: true },
    ],
    'price[amount]': '0.1',
  });

  test.each<[string, string[]]>([
    ['messages[0].message-id', ['a']],
    ['messages[*].message-id', ['a', 'b']],
    ['messages[*].status', ['0']],
    ['messages[1].ok', ['true']],
    ['messages[7].ok', []],
    ['messages', []],
    ['messages.length', []],
    ['__proto__', []],
    ['constructor.name', []],
    ['price[amount]', ['0.1']],
  ])('%s leads to %j', (path, values) => {
    expect(find(compileSource(path), body)).toEqual(values);
  });

  test.each(['a[', 'a..b', '[*', 'a[]', ''])('%j is refused', (path) => {
    if (path === '') expect(compilePath(path)({ a: 1 })).toEqual([{ a: 1 }]);
    else expect(() => compileSource(path)).toThrow(SourceError);
  });

  test('any path finds nothing harmful in any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.stringMatching(/^[a-z.[\]*0-9_-]{0,20}$/), (json, path) => {
        let source: Source;
        try {
          source = compileSource(path);
        } catch (error) {
          expect(error).toBeInstanceOf(SourceError);
          return;
        }
        expect(find(source, json).every((value) => typeof value === 'string')).toBe(true);
      }),
    );
  });
});

describe('a pattern', () => {
  test.each<[string, string, string[]]>([
    ['/^success \\| \\d+ \\| (\\S+)/', 'success | 919 | 35-9', ['35-9']],
    ['/^SUCCESS/i', 'success', ['success']],
    ['/wait \\[ (\\d+) \\]/', 'please wait [ 250 ] and retry', ['250']],
    ['/no/', 'yes', []],
    ['/a(b)?/', 'ac', []],
  ])('%s finds in %j %j', (pattern, text, values) => {
    expect(find(compileSource(pattern), text)).toEqual(values);
  });

  test.each(['/(?=a)/', '/(a)\\1/', '/(/', '/a/g', '/a', `/${'a'.repeat(200)}/`, '/a{99999}/'])(
    '%s is refused',
    (pattern) => {
      expect(() => compileSource(pattern)).toThrow(SourceError);
    },
  );

  test('a pattern that would backtrack for ever takes no longer than another', () => {
    expect(find(compileSource('/^(a+)+$/'), `${'a'.repeat(16_000)}b`)).toEqual([]);
  });
});

test('integers beyond 2^53 keep all digits', () => {
  expect(parseJson('{"id":3562707498794989059,"n":1.5,"m":12}')).toEqual({
    id: '3562707498794989059',
    n: 1.5,
    m: 12,
  });
});
