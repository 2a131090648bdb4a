import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { inspectInput } from './inspect-input.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads bodies as JSON objects; a body of any other type is refused with 415. */
export function readJsonBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJsonBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/**
 * Parses a body; an empty one is undefined, which only an endpoint with a body refuses.
 *
 * @throws ApiError malformed_json, or invalid_request naming what no body may hold
 */
function parseJsonBody(bytes: Buffer): object | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  const text = bytes.toString('utf8', start);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest([{ field: 'body', rule: 'invalid_type', message: 'must be a JSON object' }]);
  }
  // In valid UTF-8, U+0000 and lone surrogates can only be written as escapes.
  const violations = inspectInput(value, text.includes('\\u'));
  if (violations.length > 0) throw invalidRequest(violations);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const where = position === undefined ? '' : ` at character ${Number(position) + 1}`;
    throw new ApiError('malformed_json', `The body is not valid JSON${where}.`);
  }
}
