import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { maskNumbers } from '@signalbox/domain/msisdn';

/** Members of answers that are no text for people. */
const OPAQUE = new Set(['nextCursor', 'cursor', 'requestId', 'docs']);

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
