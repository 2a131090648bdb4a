import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countParts } from './parts.ts';

test.each([
  ['an empty text', '', 'GSM-7', 1],
  ['160 letters', 'a'.repeat(160), 'GSM-7', 1],
  ['161 letters', 'a'.repeat(161), 'GSM-7', 2],
  ['306 letters', 'a'.repeat(306), 'GSM-7', 2],
  ['307 letters', 'a'.repeat(307), 'GSM-7', 3],
  ['80 euro signs of two septets', '€'.repeat(80), 'GSM-7', 1],
  ['160 euro signs of two septets', '€'.repeat(160), 'GSM-7', 3],
  [
    '152 letters and euro signs that would end part one within an escape',
    `${'a'.repeat(152)}${'€'.repeat(77)}`,
    'GSM-7',
    3,
  ],
  ['70 Devanagari letters', 'न'.repeat(70), 'UCS-2', 1],
  ['71 Devanagari letters', 'न'.repeat(71), 'UCS-2', 2],
  ['134 Devanagari letters', 'न'.repeat(134), 'UCS-2', 2],
  ['35 emoji of two units', '😀'.repeat(35), 'UCS-2', 1],
  ['66 emoji, 33 to a part', '😀'.repeat(66), 'UCS-2', 2],
  ['67 emoji of 134 units, none split between parts', '😀'.repeat(67), 'UCS-2', 3],
  ['a lower-case cedilla, which GSM 03.38 does not have', 'ç', 'UCS-2', 1],
  ['a tab', '\t', 'UCS-2', 1],
])('%s: encoding and parts', (_, text, encoding, parts) => {
  expect(countParts(text, false)).toEqual({ encoding, parts });
});

test('a request for Unicode applies to plain letters too', () => {
  expect(countParts('a'.repeat(71), true)).toEqual({ encoding: 'UCS-2', parts: 2 });
});

test('the default alphabet has 127 characters and the extension 10', () => {
  const lengths = new Map<number, number>();
  for (let code = 0; code < 0x10000; code += 1) {
    const text = String.fromCharCode(code);
    if (countParts(text, false).encoding === 'UCS-2') continue;
    const septets = countParts(text.repeat(160), false).parts === 1 ? 1 : 2;
    lengths.set(septets, (lengths.get(septets) ?? 0) + 1);
  }
  expect(Object.fromEntries(lengths)).toEqual({ 1: 127, 2: 10 });
});

const EXTENSION = new Set('\f^{}\\[~]|€');

/** Packs whole characters into parts: a slow and plain count to compare with. */
function pack(
  characters: string[],
  size: (character: string) => number,
  alone: number,
  joined: number,
): number {
  const total = characters.reduce((sum, character) => sum + size(character), 0);
  if (total <= alone) return 1;
  const parts = [0];
  for (const character of characters) {
    if (parts.at(-1)! + size(character) > joined) parts.push(0);
    parts[parts.length - 1]! += size(character);
  }
  return parts.length;
}

test('GSM-7 parts equal those of packing whole characters', () => {
  const gsm = fc.string({
    unit: fc.constantFrom('a', 'Z', '5', 'é', 'Ω', '\n', '€', '{', '~'),
    maxLength: 700,
    size: 'max',
  });
  fc.assert(
    fc.property(gsm, (text) => {
      const parts = pack([...text], (character) => (EXTENSION.has(character) ? 2 : 1), 160, 153);
      expect(countParts(text, false)).toEqual({ encoding: 'GSM-7', parts });
    }),
  );
});

test('UCS-2 parts equal those of packing whole characters, lone surrogates included', () => {
  const unit = fc.constantFrom('न', '😀', 'a', '\ud83d', '\ude00');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 400, size: 'max' }), (text) => {
      const parts = pack([...text], (character) => character.length, 70, 67);
      expect(countParts(text, true)).toEqual({ encoding: 'UCS-2', parts });
    }),
  );
});
