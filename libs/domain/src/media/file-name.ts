import { MAX_FILE_NAME_BYTES } from '../chat/limits.ts';

/** Characters that end a line, split a path, or reverse text: `a\u202Efdp.exe` reads as `aexe.pdf`. */
const UNSAFE_CHARACTER = /[\p{Cc}/\\\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Checks that a file can be shown and saved under a name. */
export function isFileName(text: string): boolean {
  if (text.trim() === '' || text === '.' || text === '..') return false;
  return Buffer.byteLength(text) <= MAX_FILE_NAME_BYTES && !UNSAFE_CHARACTER.test(text);
}
