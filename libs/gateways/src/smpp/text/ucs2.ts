/** Encodes UTF-16, big-endian. */
export function encodeUcs2(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** Decodes UTF-16, big-endian. Keeps lone surrogates, and drops the half of a unit at the end. */
export function decodeUcs2(octets: Buffer): string {
  const whole = octets.subarray(0, octets.length & ~1);
  return Buffer.from(whole).swap16().toString('utf16le');
}
