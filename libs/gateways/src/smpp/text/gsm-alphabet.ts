const ESCAPE = 0x1b;
const ESCAPE_CHARACTER = '\u001b';

/** Characters of the GSM 03.38 default alphabet, indexed by their code; the escape character has code 0x1b. */
export const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** Characters that follow an escape, by code. */
export const EXTENSION: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
]);

/** Code of each UTF-16 unit; with the bit 0x80 for one that needs an escape, and 0xff for one without code. */
const CODES = new Uint8Array(0x10000).fill(0xff);
for (const [code, char] of [...DEFAULT_ALPHABET].entries())
  if (code !== ESCAPE) CODES[char.charCodeAt(0)] = code;
for (const [code, char] of EXTENSION) CODES[char.charCodeAt(0)] = code | 0x80;

/** Septets of a UTF-16 unit: 1, 2 with an escape, or 0 for a character that GSM 03.38 lacks. */
export function septetsOf(unit: number): 0 | 1 | 2 {
  const code = CODES[unit]!;
  if (code === 0xff) return 0;
  return code > 0x7f ? 2 : 1;
}

/** Encodes characters of GSM 03.38 unpacked, a septet in each octet. Leaves out other characters. */
export function encodeGsm(text: string): Buffer {
  const octets = Buffer.allocUnsafe(text.length * 2);
  let at = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = CODES[text.charCodeAt(i)]!;
    if (code === 0xff) continue;
    if (code > 0x7f) {
      octets[at] = ESCAPE;
      at += 1;
    }
    octets[at] = code & 0x7f;
    at += 1;
  }
  return octets.subarray(0, at);
}

/** The tables of one text: 128 characters by code, and the characters after an escape. */
export interface GsmTables {
  alphabet: string;
  extension: ReadonlyMap<number, string>;
}

const DEFAULT_TABLES: GsmTables = { alphabet: DEFAULT_ALPHABET, extension: EXTENSION };

/**
 * Decodes unpacked septets. An escaped code that the table lacks is the character of the alphabet, as phones show it.
 * An escape at the end is kept as U+001B, since the next segment may continue it: see `joinEscapes`.
 */
export function decodeGsm(octets: Buffer, { alphabet, extension }: GsmTables = DEFAULT_TABLES): string {
  let text = '';
  for (let i = 0; i < octets.length; i += 1) {
    const code = octets[i]! & 0x7f;
    if (code !== ESCAPE || i + 1 === octets.length) {
      text += alphabet[code]!;
      continue;
    }
    i += 1;
    const next = octets[i]! & 0x7f;
    text += extension.get(next) ?? (next === ESCAPE ? ' ' : alphabet[next]!);
  }
  return text;
}

/** Completes escapes that a boundary of segments had cut off. */
export function joinEscapes(text: string): string {
  if (!text.includes(ESCAPE_CHARACTER)) return text;
  const [head, ...tails] = text.split(ESCAPE_CHARACTER);
  return tails.reduce((joined, tail) => {
    const escaped = EXTENSION.get(CODES[tail.charCodeAt(0)] ?? 0xff);
    return joined + (escaped === undefined ? tail : escaped + tail.slice(1));
  }, head!);
}
