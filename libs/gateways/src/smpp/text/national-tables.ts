import { DEFAULT_ALPHABET, EXTENSION, type GsmTables } from './gsm-alphabet.ts';

/*
 * National language tables of 3GPP TS 23.038, annex A, by their identifier: 1 Turkish, 2 Spanish, 3 Portuguese. Phones
 * choose them only for texts that fit; those of the scripts of India are not listed, since phones send UCS-2.
 */

const TURKISH = 1;
const SPANISH = 2;
const PORTUGUESE = 3;

const SINGLE_SHIFTS: ReadonlyMap<number, ReadonlyMap<number, string>> = new Map([
  [TURKISH, extended({ 0x47: 'Ğ', 0x49: 'İ', 0x53: 'Ş', 0x63: 'ç', 0x67: 'ğ', 0x69: 'ı', 0x73: 'ş' })],
  [
    SPANISH,
    extended({
      0x09: 'ç',
      0x41: 'Á',
      0x49: 'Í',
      0x4f: 'Ó',
      0x55: 'Ú',
      0x61: 'á',
      0x69: 'í',
      0x6f: 'ó',
      0x75: 'ú',
    }),
  ],
  [
    PORTUGUESE,
    extended({
      0x05: 'ê',
      0x09: 'ç',
      0x0b: 'Ô',
      0x0c: 'ô',
      0x0e: 'Á',
      0x0f: 'á',
      0x12: 'Φ',
      0x13: 'Γ',
      0x15: 'Ω',
      0x16: 'Π',
      0x17: 'Ψ',
      0x18: 'Σ',
      0x19: 'Θ',
      0x1f: 'Ê',
      0x41: 'À',
      0x49: 'Í',
      0x4f: 'Ó',
      0x55: 'Ú',
      0x5b: 'Ã',
      0x5c: 'Õ',
      0x61: 'Â',
      0x69: 'í',
      0x6f: 'ó',
      0x75: 'ú',
      0x7b: 'ã',
      0x7c: 'õ',
      0x7f: 'â',
    }),
  ],
]);

const LOCKING_SHIFTS: ReadonlyMap<number, string> = new Map([
  [
    TURKISH,
    replaced({ 0x04: '€', 0x07: 'ı', 0x0b: 'Ğ', 0x0c: 'ğ', 0x1c: 'Ş', 0x1d: 'ş', 0x40: 'İ', 0x60: 'ç' }),
  ],
  [
    PORTUGUESE,
    replaced({
      0x04: 'ê',
      0x06: 'ú',
      0x07: 'í',
      0x08: 'ó',
      0x09: 'ç',
      0x0b: 'Ô',
      0x0c: 'ô',
      0x0e: 'Á',
      0x0f: 'á',
      0x12: 'ª',
      0x13: 'Ç',
      0x14: 'À',
      0x15: '∞',
      0x16: '^',
      0x17: '\\',
      0x18: '€',
      0x19: 'Ó',
      0x1a: '|',
      0x1c: 'Â',
      0x1d: 'â',
      0x1e: 'Ê',
      0x24: 'º',
      0x40: 'Í',
      0x5b: 'Ã',
      0x5c: 'Õ',
      0x5d: 'Ú',
      0x60: '~',
      0x7b: 'ã',
      0x7c: 'õ',
      0x7d: '`',
    }),
  ],
]);

/** Shows each character of a table that is not listed, so that nothing wrong is shown instead. */
const UNKNOWN_ALPHABET = '\ufffd'.repeat(128);

/** Returns the tables of a text by the languages that its header names. */
export function tablesOf(lockingShift = 0, singleShift = 0): GsmTables {
  return {
    alphabet: lockingShift === 0 ? DEFAULT_ALPHABET : (LOCKING_SHIFTS.get(lockingShift) ?? UNKNOWN_ALPHABET),
    extension: SINGLE_SHIFTS.get(singleShift) ?? EXTENSION,
  };
}

function extended(characters: Readonly<Record<number, string>>): ReadonlyMap<number, string> {
  return new Map([...EXTENSION, ...entriesOf(characters)]);
}

function replaced(characters: Readonly<Record<number, string>>): string {
  const alphabet = [...DEFAULT_ALPHABET];
  for (const [code, character] of entriesOf(characters)) alphabet[code] = character;
  return alphabet.join('');
}

function entriesOf(characters: Readonly<Record<number, string>>): [number, string][] {
  return Object.entries(characters).map(([code, character]) => [Number(code), character]);
}
