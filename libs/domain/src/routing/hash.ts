/**
 * Hashes texts to a number over 0 and below 1: FNV-1a with the finalizer of MurmurHash3, evenly spread also for texts
 * that differ in one digit. Equal in every process.
 */
export function hash01(...texts: string[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts) {
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0xff, 0x01000193); // ends a text, so that "ab", "c" differs from "a", "bc"
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
