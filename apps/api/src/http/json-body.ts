import { isUtf8 } from 'node:buffer';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CallerRequest } from '../auth/caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { BODYLESS, isMultipart } from './body-headers.ts';
import { networkOf } from './client-network.ts';
import { inspectInput } from './inspect-input.ts';
import { KeyedLimit } from './keyed-limit.ts';

const MIB = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A body of 1 MiB can take 30 ms to read, so that a few of them together would delay every other request. */
export const LARGE_BODY_BYTES = 16 * 1024;

/** Large bodies of an account, or of all callers without one, are parsed one at a time. */
const LARGE_BODIES_OF_ACCOUNT = new KeyedLimit('large bodies of one account');

/** Large bodies of all accounts are parsed one at a time. At most one of each waits here, so that accounts take turns. */
const LARGE_BODIES = new KeyedLimit('large bodies of all accounts');

/** When the next large body may be parsed, by `performance.now()`. */
let nextAt = 0;

/** A limit of the bytes of large bodies that arrive, wait to be parsed, or are worked on. */
interface Room {
  /** Account or network whose bodies share the limit; empty for all callers without an account. */
  key: string;
  maxBytes: number;
  /** Completes the refusal of a body. */
  whose: string;
}

const MAX_CALLER_BYTES = 16 * MIB;
const MAX_UNKNOWN_BYTES = 64 * MIB;

/** Memory that a chunk takes besides its bytes: a body of a few MiB in chunks of one byte takes more than 1 GiB. */
const CHUNK_BYTES = 256;

/** These bytes by the key of their room. */
const heldBytes = new Map<string, number>();

/** Maximum number of members of all objects of a body. 60,000 take 40 to 180 ms to parse, however short they are. */
const MAX_MEMBERS = 10_000;

/** Reads bodies as JSON objects; a body of any other type is refused with 415. */
export function readJsonBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addHook('preParsing', (request: CallerRequest, reply, _payload, done) => {
    done(declaredLength(request) > LARGE_BODY_BYTES ? holdLargeBody(request, reply) : null);
  });
  instance.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: CallerRequest, bytes: Buffer, done) => {
      if (bytes.length > LARGE_BODY_BYTES) return parseLargeBody(request, bytes);
      try {
        done(null, parseJsonBody(bytes));
      } catch (error) {
        done(error as Error);
      }
      return undefined;
    },
  );
}

/**
 * Counts a large body until the request is answered or its connection closes: with an account and a length, that length
 * from before it is read, else the memory of the chunks that arrive beyond the first 16 KiB. A slow sender takes room from
 * its own account or network, and without an account also from the others that have none.
 *
 * @returns the refusal of a body that would exceed the bytes of one of its rooms
 */
function holdLargeBody(request: CallerRequest, reply: FastifyReply): ApiError | null {
  if (BODYLESS.has(request.method)) return null; // what arrives is dropped
  if (request.caller !== undefined && isMultipart(request.headers)) return null; // an upload is read as a stream
  if (reply.raw.destroyed) return null; // its close has passed
  const { raw, caller } = request;
  const { bodyLimit } = request.routeOptions;
  const rooms = roomsOf(request);
  const declared = declaredLength(request);
  let held = 0;
  const hold = (bytes: number): ApiError | null => {
    const refusal = refusalOf(rooms, bytes);
    if (refusal) return refusal;
    held += bytes;
    addHeld(rooms, bytes);
    return null;
  };
  let arrived = 0;
  let chunks = 0;
  const count = ({ length }: Buffer): void => {
    arrived += length;
    if (arrived > bodyLimit) return; // what exceeds the limit is not kept
    chunks += 1;
    const refusal = hold(Math.max(arrived + chunks * CHUNK_BYTES - LARGE_BODY_BYTES, 0) - held);
    if (!refusal) return;
    raw.off('data', count);
    // destroy() would close the connection before the answer; without a reader the bytes are dropped
    if (raw.listenerCount('error') > 0) raw.emit('error', refusal);
  };
  reply.raw.once('close', () => {
    raw.off('data', count); // more may arrive after an early answer
    addHeld(rooms, -held);
  });
  if (declared !== Infinity) {
    const bytes = Math.min(declared, bodyLimit);
    if (caller) return hold(bytes);
    const refusal = refusalOf(rooms, bytes - LARGE_BODY_BYTES);
    if (refusal) return refusal;
  }
  raw.on('data', count);
  return null;
}

function refusalOf(rooms: Room[], bytes: number): ApiError | null {
  const full = rooms.find(({ key, maxBytes }) => (heldBytes.get(key) ?? 0) + bytes > maxBytes);
  if (!full) return null;
  const message = `Bodies of more than ${full.maxBytes / MIB} MiB in all are in progress ${full.whose}; try again in 1 s.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds: 1 });
}

function addHeld(rooms: Room[], bytes: number): void {
  for (const { key } of rooms) {
    const sum = (heldBytes.get(key) ?? 0) + bytes;
    if (sum === 0) heldBytes.delete(key);
    else heldBytes.set(key, sum);
  }
}

/** The limits of a large body. Gateways that call back have no account before their signature is verified. */
function roomsOf({ caller, ip }: CallerRequest): Room[] {
  if (caller) return [{ key: caller.accountId, maxBytes: MAX_CALLER_BYTES, whose: 'for the account' }];
  return [
    { key: networkOf(ip), maxBytes: MAX_CALLER_BYTES, whose: 'from this address' },
    { key: '', maxBytes: MAX_UNKNOWN_BYTES, whose: 'from callers without an account' },
  ];
}

/** The length of a body; infinite when it is not given. */
function declaredLength({ headers }: CallerRequest): number {
  return Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
}

/** Parses large bodies one at a time. Each waits as long as the one before it took: others have half of the time. */
function parseLargeBody({ caller }: CallerRequest, bytes: Buffer): Promise<object | undefined> {
  return LARGE_BODIES_OF_ACCOUNT.run(caller?.accountId ?? '', () =>
    LARGE_BODIES.run('all', async () => {
      await setImmediate();
      const pauseMs = nextAt - performance.now();
      if (pauseMs > 0) await setTimeout(Math.ceil(pauseMs));
      const startedAt = performance.now();
      try {
        return parseJsonBody(bytes);
      } finally {
        nextAt = 2 * performance.now() - startedAt;
      }
    }),
  );
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
  requireFewMembers(text);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest([{ field: 'body', rule: 'invalid_type', message: 'must be a JSON object' }]);
  }
  // In valid UTF-8, U+0000 and lone surrogates can only be written as escapes.
  const violations = inspectInput(value, text.includes('\\u'));
  if (violations.length > 0) throw invalidRequest(violations);
  return value;
}

/**
 * Refuses a body with too many members before it is parsed. Counts quotation marks that a colon follows, so one within
 * a string counts too.
 *
 * @throws ApiError invalid_request
 */
function requireFewMembers(text: string): void {
  const member = /"[ \t\r\n]*:/g;
  for (let count = 0; member.test(text); count += 1) {
    if (count < MAX_MEMBERS) continue;
    const message = `must not have more than ${MAX_MEMBERS} members in all its objects`;
    throw invalidRequest([{ field: 'body', rule: 'too_many_keys', message }]);
  }
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
