import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { maskMsisdn } from '@signalbox/domain/msisdn';
import { UUID } from './uuid.ts';

/**
 * Ids, which stay, and what may be a phone number: 7 to 15 digits by themselves, also after an encoded plus, and after a
 * plus also in groups, as `+91 98765-43210`.
 */
const NUMBERS =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\+)\d(?:[ ().-]{0,2}\d){6,14}(?![A-Za-z0-9])|(?:(?<=%2B)|(?<![A-Za-z0-9]))\d{7,15}(?![A-Za-z0-9])/gi;

/** Members of answers that are no text for people. */
const OPAQUE = new Set(['nextCursor', 'cursor', 'requestId', 'docs']);

/** Masks everything in a text that may be a phone number, down to its last four digits. */
export function maskNumbers(text: string): string {
  return text.replace(NUMBERS, (found) =>
    UUID.test(found.toLowerCase()) ? found : maskMsisdn(found.replaceAll(/\D/g, '')),
  );
}

/** Masks the numbers in all texts of a JSON document. */
export function maskJson(json: string): string {
  const masked: unknown = JSON.parse(json, (name, value: unknown) =>
    typeof value === 'string' && !OPAQUE.has(name) ? maskNumbers(value) : value,
  );
  return JSON.stringify(masked);
}

/** Masks the numbers in a stream of lines. */
export function maskLines(): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      const text = rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      done(null, maskNumbers(text.slice(0, end)));
    },
    flush(done) {
      done(null, maskNumbers(rest + decoder.end()));
    },
  });
}
