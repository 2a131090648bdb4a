import type { FramingError } from './framing.ts';

const STRANGERS: readonly (readonly [start: RegExp, words: string])[] = [
  [/^HTTP/, 'the server speaks HTTP, not SMPP: check the port'],
  [/^SSH-/, 'the server speaks SSH, not SMPP: check the port'],
  [/^(220|421|554)[ -]/, 'the server speaks SMTP or FTP, not SMPP: check the port'],
];

/** Describes a server that does not speak SMPP by its first octets, and what to check. */
export function describeStranger(error: FramingError): string {
  if (isTlsRecord(error.start)) return 'the server speaks TLS: set "tls", or use its port without TLS';
  const start = error.start.toString('latin1');
  const known = STRANGERS.find(([pattern]) => pattern.test(start));
  return known?.[1] ?? `the server sent what is not SMPP (${error.message}): check host and port`;
}

/** An alert or a handshake of TLS: its kind, then version 3. */
function isTlsRecord([kind, version]: Buffer): boolean {
  return (kind === 0x15 || kind === 0x16) && version === 3;
}
