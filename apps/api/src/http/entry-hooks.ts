import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { BODYLESS, fixBodyHeaders, isMultipart } from './body-headers.ts';
import { expectBodyWithin } from './body-timeout.ts';
import { closeUnread, isClosing } from './client-errors.ts';
import { atEndOfPass } from './end-of-pass.ts';
import type { FinishedRequest } from './finish.ts';
import { hasValidHost } from './host-header.ts';
import { ignoredFieldsHeader } from './ignored-fields.ts';
import { readsMultipart } from './multipart-body.ts';
import { breakOffWhenStalled } from './stalled-answer.ts';
import { unknownRoute } from './unknown-route.ts';

/** Checks every request before its body is read, and completes the headers of every answer. */
export function addEntryHooks(instance: FastifyInstance, bodyTimeoutMs: number, stallMs?: number): void {
  // nearly all bodies arrive with their head, and nearly all answers are written immediately: they need no timer
  const expectBody = atEndOfPass<ServerResponse>((response) => expectBodyWithin(response, bodyTimeoutMs));
  const expectReader = atEndOfPass<ServerResponse>((response) => breakOffWhenStalled(response, stallMs));
  instance.addHook('onRequest', (request, reply, done) =>
    afterEarlierAnswers(reply, () => {
      if (isClosing(request.raw.socket)) return void request.raw.socket.destroy();
      setCommonHeaders(reply, request.id);
      if (!BODYLESS.has(request.method) && !isUpload(request)) expectBody(reply.raw);
      done(refusalOf(instance, request, reply));
    }),
  );
  instance.addHook('onSend', (request, reply, payload, done) => {
    const ignored = ignoredFieldsHeader(request);
    if (ignored !== undefined) reply.header('ignored-fields', ignored);
    closeUnread(request, reply);
    expectReader(reply.raw);
    finish(request as FinishedRequest, reply, payload, done);
  });
}

/** Maximum number of requests of a connection that wait for earlier answers. */
const MAX_WAITING = 100;

/** The number of these requests, by connection. */
const waiting = new WeakMap<Socket, number>();

/**
 * Begins a request once the answers to earlier requests of its connection are sent. Otherwise the answers to a client
 * that sends thousands of requests and reads none would all be kept in memory. Closes the connection of a client that
 * sends many more requests than are answered, which would all be kept instead.
 */
function afterEarlierAnswers({ raw }: FastifyReply, begin: () => void): void {
  if (raw.socket !== null) return begin();
  const connection = raw.req.socket;
  const count = (waiting.get(connection) ?? 0) + 1;
  if (count > MAX_WAITING) return void connection.destroy();
  waiting.set(connection, count);
  raw.once('socket', (socket) => {
    waiting.set(connection, waiting.get(connection)! - 1);
    socket.setTimeout(0); // the earlier answer may have set one
    setImmediate(begin);
  });
}

/** Is true for a form of a route that reads one. Elsewhere the type of a body gives it no more time. */
function isUpload(request: FastifyRequest): boolean {
  return isMultipart(request.headers) && readsMultipart(request);
}

/** Completes an answer; the answer of a failure on the way is sent as it is. */
function finish(
  request: FinishedRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  if (request.finish === undefined) return done(null, payload);
  void request.finish(reply, payload).then(
    (finished) => done(null, finished),
    (error: Error) => {
      delete request.finish;
      done(error);
    },
  );
}

/** Sets the headers that every answer carries. A cacheable route overrides `cache-control`. */
export function setCommonHeaders(reply: FastifyReply, requestId: string): void {
  reply.header('x-request-id', requestId);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
}

function refusalOf(
  instance: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError | undefined {
  if (!hasValidHost(request.raw))
    return new ApiError('invalid_request', 'The Host header must name one host.');
  if (request.is404) return unknownRoute(instance, request, reply);
  if (BODYLESS.has(request.method)) return undefined;
  return fixBodyHeaders(request.raw.headers);
}
