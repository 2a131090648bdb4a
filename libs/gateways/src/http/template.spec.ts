import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileJson } from './json-template.ts';
import { Template, TemplateError, escapeHeader, escapeUrl } from './template.ts';

const KNOWN = new Set(['text', 'to', 'constructor', 'validity']);

describe('a template', () => {
  test('fills in values once, so that values with braces stay as they are', () => {
    expect(Template.parse('a {text} {{b}} {to}', KNOWN).render({ text: '{to}', to: '1' })).toBe(
      'a {to} {b} 1',
    );
  });

  test('has no text when one of its values is absent', () => {
    expect(Template.parse('+{to}', KNOWN).render({ to: undefined })).toBeUndefined();
  });

  test.each([
    ['{secret}', 'names {secret}, which is no placeholder here'],
    ['{__proto__}', 'has a single brace'],
    ['{text', 'has a single brace'],
    ['a}', 'has a single brace'],
    ['{text.length}', 'has a single brace'],
    ['x'.repeat(2_001), 'must be at most 2000 characters'],
  ])('refuses %s', (source, message) => {
    expect(() => Template.parse(source, KNOWN)).toThrow(TemplateError);
    expect(() => Template.parse(source, KNOWN)).toThrow(message);
  });

  test('reads no inherited value', () => {
    expect(Template.parse('{constructor}', KNOWN).render(Object.create(null))).toBeUndefined();
  });
});

describe('a JSON template', () => {
  test('any text stays one value of the body', () => {
    const build = compileJson({ a: [{ text: '{text}' }], b: 'x{text}' }, KNOWN);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(JSON.stringify(build({ text })))).toEqual({ a: [{ text }], b: `x${text}` });
      }),
    );
  });

  test('fields without a value are left out, and objects that lose all of them', () => {
    const build = compileJson({ a: { b: { c: '{to}' } }, d: ['{to}'], e: {}, f: [], g: null, h: 1 }, KNOWN);
    expect(build({})).toEqual({ e: {}, f: [], g: null, h: 1 });
  });

  test('a number is written as one', () => {
    expect(
      compileJson({ v: '{validity:number}', w: '{to:number}' }, KNOWN)({ validity: '60', to: 'x' }),
    ).toEqual({
      v: 60,
    });
  });

  test('the problem of a field names it', () => {
    expect(() => compileJson({ messages: [{ to: '{nobody}' }] }, KNOWN)).toThrow(
      'messages[0].to names {nobody}',
    );
  });
});

test('no value ends a header or adds another one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(() => new Headers({ a: escapeHeader(`x${value}`) })).not.toThrow();
      expect(escapeHeader(value)).not.toMatch(/[\r\n\0]/);
    }),
  );
});

test('no value changes the structure of a URL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const url = new URL(`https://a.test/b?c=${escapeUrl(value)}&d=1`);
      expect([url.searchParams.get('c'), url.searchParams.get('d')]).toEqual([value.toWellFormed(), '1']);
    }),
  );
});
