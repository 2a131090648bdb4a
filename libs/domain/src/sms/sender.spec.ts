import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSmsSender } from './sender.ts';

test.each(['A', 'ACME', 'Acme Bank', 'A-B_c.D&E', '1CODE', 'x2345678901', '123', '56161', '123456789012345'])(
  '%j is a valid sender',
  (text) => {
    expect(isSmsSender(text)).toBe(true);
  },
);

test.each([
  ['nothing', ''],
  ['spaces only', '   '],
  ['12 letters', 'ABCDEFGHIJKL'],
  ['two digits', '12'],
  ['16 digits', '1234567890123456'],
  ['digits with spaces', '12 34'],
  ['an accented letter', 'é'],
  ['an emoji', 'Hi😀'],
  ['a line break', 'A B\r\nX'],
  ['a final line feed', 'ACME\n'],
  ['a plus', '+919999'],
  ['a character outside the list', 'A@B'],
])('%s is refused', (_, text) => {
  expect(isSmsSender(text)).toBe(false);
});

test('a valid sender has at most 15 printable characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      if (isSmsSender(text)) expect(text).toMatch(/^[\x20-\x7e]{1,15}$/);
    }),
  );
});
