import { expect, test } from '@jest/globals';
import { isFileName } from './file-name.ts';

test.each([
  'a.pdf',
  'Invoice 1001.pdf',
  'चालान\u200d.pdf',
  '请.pdf',
  '.pdf',
  'a..b',
  'a'.repeat(240),
  'é'.repeat(120),
])('%j is a file name', (name) => {
  expect(isFileName(name)).toBe(true);
});

test.each([
  '',
  ' ',
  '.',
  '..',
  'a/b',
  'a\\b',
  'a\nb',
  'a\u0000',
  'a\u007f',
  'a\u0085',
  'invoice\u202efdp.exe',
  'a\u200eb',
  'a\u2069',
  'a\u2028',
  'a'.repeat(241),
  'é'.repeat(121),
])('%j is not a file name', (name) => {
  expect(isFileName(name)).toBe(false);
});
