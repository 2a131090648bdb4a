import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkTemplateText, matchesTemplate } from './template.ts';

test.each([
  'Hello',
  'Hi {{1}}, your order {{2}} {{shortUrl}}',
  '{#var#} and {#var#} {{shortUrl2}}',
  '{{1}}',
  '{ } # {1}',
])('%j is a valid template', (text) => {
  expect(checkTemplateText(text)).toEqual([]);
});

test.each([
  ['a gap', '{{1}} {{3}}', 'invalid_placeholder'],
  ['a wrong order', '{{2}} {{1}}', 'invalid_placeholder'],
  ['a repeated value', '{{1}} {{1}}', 'invalid_placeholder'],
  ['a value zero', '{{0}}', 'invalid_placeholder'],
  ['a name', '{{name}}', 'invalid_placeholder'],
  ['a space', '{{ 1 }}', 'invalid_placeholder'],
  ['a missing brace', '{{1} {{2}}', 'invalid_placeholder'],
  ['another kind of DLT variable', '{#numeric#}', 'invalid_placeholder'],
  ['both styles', '{{1}} {#var#}', 'invalid_placeholder'],
  ['a huge number', '{{99999999999999999999}}', 'invalid_placeholder'],
  ['51 values', '{#var#}'.repeat(51), 'too_many_items'],
  ['an eleventh link', '{{shortUrl11}}', 'too_many_items'],
])('a template with %s is refused', (_, text, rule) => {
  expect(checkTemplateText(text)).toEqual([{ field: 'text', rule, message: expect.any(String) }]);
});

test('a text with more links than a call takes arguments is refused', () => {
  expect(checkTemplateText('{{shortUrl11}} '.repeat(200_000))).toMatchObject([{ rule: 'too_many_items' }]);
});

test.each([
  ['Hello', 'Hello', true],
  ['Hello', 'Hello ', false],
  ['Hi {{1}}!', 'Hi Ann!', true],
  ['Hi {{1}}!', 'Hi !', true],
  ['Hi {{1}}!', 'Hi Ann', false],
  ['Hi {{1}}!', 'Oh, Hi Ann!', false],
  ['aba{{1}}aba', 'ababa', false],
  ['{{1}} at {{2}} at {{3}}', 'x at y at z at w', true],
  ['{{1}} at {{2}} at {{3}}', 'x at y', false],
  ['{#var#}{#var#}', 'anything', true],
  ['{{1}}aab{{2}}', 'aaab', true],
  ['Hi {{1}}, see {{shortUrl}}', 'Hi Ann, see {{shortUrl}}', true],
  ['.*{{1}}$', '.*x$', true],
])('template %j, text %j: %j', (template, text, isMatch) => {
  expect(matchesTemplate(template, text)).toBe(isMatch);
});

/** Matches by regular expression, which is slow on long texts only. */
function matchesSlowly(template: string, text: string): boolean {
  const words = template.split(/\{\{\d\}\}/).map((part) => part.replace(/[^a-z]/g, '\\$&'));
  return new RegExp(`^${words.join('[^]*')}$`).test(text);
}

test('a text matches if the regular expression with wildcards does', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4, size: 'max' });
  const template = fc
    .array(part, { minLength: 1, maxLength: 5 })
    .map((parts) => parts.reduce((whole, each, i) => `${whole}{{${i}}}${each}`));
  fc.assert(
    fc.property(
      template,
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20, size: 'max' }),
      (pattern, text) => {
        expect(matchesTemplate(pattern, text)).toBe(matchesSlowly(pattern, text));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the first link of a template matches however it is written', () => {
  expect(matchesTemplate('See {{shortUrl}}, {{1}}', 'See {{shortUrl1}}, Ann')).toBe(true);
  expect(matchesTemplate('See {{shortUrl1}}, {{1}}', 'See {{shortUrl}}, Ann')).toBe(true);
  expect(matchesTemplate('See {{shortUrl1}}, {{1}}', 'See {{shortUrl2}}, Ann')).toBe(false);
});

test('matching takes linear time on the worst cases of naive searches', () => {
  const half = 200_000;
  const words = `${'a'.repeat(half)}b`;
  const long = `{{1}}${words}{{2}}c`;
  const many = '{{1}}aab'.repeat(half / 10);
  const startedAt = performance.now();

  expect(matchesTemplate(long, `${'a'.repeat(half * 2)}c`)).toBe(false);
  expect(matchesTemplate(`{{1}}b${'a'.repeat(half)}{{2}}c`, `${'a'.repeat(half * 2)}c`)).toBe(false);
  expect(matchesTemplate(`${many}c`, `${'a'.repeat(half * 2)}c`)).toBe(false);

  // The products are 8 × 10^10: minutes.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
