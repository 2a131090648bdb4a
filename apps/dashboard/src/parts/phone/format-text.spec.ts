import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatText } from './format-text.ts';

test.each([
  ['a *b* c', [{ text: 'a ' }, { text: 'b', bold: true }, { text: ' c' }]],
  ['*_both_*', [{ text: 'both', bold: true, italic: true }]],
  ['~old~ `x*y*z`', [{ text: 'old', strike: true }, { text: ' ' }, { text: 'x*y*z', mono: true }]],
  ['```two\nlines```', [{ text: 'two\nlines', mono: true }]],
  ['snake_case_name', [{ text: 'snake_case_name' }]],
  ['2 * 3 * 4', [{ text: '2 * 3 * 4' }]],
  [
    'See https://example.com/a_b_c?d=*e*.',
    [
      { text: 'See ' },
      { text: 'https://example.com/a_b_c?d=*e*', link: 'https://example.com/a_b_c?d=*e*' },
      { text: '.' },
    ],
  ],
  ['javascript:alert(1)', [{ text: 'javascript:alert(1)' }]],
])('%j is formatted as a phone formats it', (text, pieces) => {
  expect(formatText(text)).toEqual(pieces);
});

test('no letter of a text is lost, and links are http or https', () => {
  const words = fc.array(fc.constantFrom('*', '_', '~', '`', 'a', ' ', '\n', 'https://x.io/', 'é'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join('');
      const pieces = formatText(text);
      const letters = (given: string): string => given.replace(/[*_~`]/g, '');
      expect(letters(pieces.map((piece) => piece.text).join(''))).toBe(letters(text));
      expect(pieces.every(({ link }) => link === undefined || /^https?:\/\//.test(link))).toBe(true);
    }),
  );
});
