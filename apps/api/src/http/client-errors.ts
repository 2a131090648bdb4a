import { randomUUIDv7 } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { errorBody } from '../errors/error-body.ts';
import { ERRORS } from '../errors/error-codes.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Error codes of Node's parser and timers; any other is a 400. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

/** Milliseconds for which a refused sender may read our answer; closing immediately could discard it. */
const LINGER_MS = 500;

/** A socket of an HTTP server. Node keeps the current answer in `_httpMessage`. */
interface HttpSocket extends Socket {
  _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null;
}

/** Sockets that received their last answer. */
const refused = new WeakSet<Socket>();

/** Sockets whose last request was answered before its body arrived. */
const answeredUnread = new WeakSet<Socket>();

/**
 * Answers bytes that are no request: those that the parser refuses, and those that arrive too slowly. Fastify
 * does not run for them, so the answer is written to the socket itself.
 */
export function answerClientError(error: Error & { code?: string }, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (refused.has(socket) || answeredUnread.has(socket)) return;
  refused.add(socket);
  const answer = socket._httpMessage;
  if (answer?.req.complete === true) closeAfter(answer, socket);
  else if (answer?.headersSent === true) socket.destroy();
  else refuse(socket, CODES[error.code ?? ''] ?? 'invalid_request');
}

/** Answers a CONNECT, which no route handles; Node would drop the connection without an answer. */
export function answerConnect(_request: IncomingMessage, socket: Socket): void {
  socket.on('error', () => socket.destroy());
  refuse(socket, 'invalid_request');
}

/**
 * Makes the answer to a request whose body has not arrived the last one of its connection, which closes half a second
 * after it: the sender has time to read the answer, and the rest of the body is not read.
 */
export function closeUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || !hasBody(raw)) return;
  const { socket } = raw;
  answeredUnread.add(socket);
  reply.header('connection', 'close');
  // Node calls it when the answer is written, and would discard an answer that the sender has not read yet.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Is true once a connection got its last answer. Later requests on it are not served. */
export function isClosing(socket: Socket): boolean {
  return answeredUnread.has(socket);
}

/** Sends the answer of the complete request before the bad bytes, as the last one of the connection. */
function closeAfter(answer: ServerResponse, socket: Socket): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close');
  answer.once('finish', () => socket.destroySoon());
}

function refuse(socket: Socket, code: ErrorCode): void {
  const requestId = randomUUIDv7();
  const message = code === 'invalid_request' ? 'The request is not valid HTTP/1.1.' : undefined;
  const body = JSON.stringify(errorBody(new ApiError(code, message), requestId));
  const { status } = ERRORS[code];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
