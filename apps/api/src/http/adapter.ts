import { randomUUIDv7 } from 'node:crypto';
import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import { answerWithError } from '../errors/error.filter.ts';
import { toApiError } from '../errors/to-api-error.ts';
import { answerClientError, answerConnect } from './client-errors.ts';
import { addEntryHooks, setCommonHeaders } from './entry-hooks.ts';
import { readJsonBodies } from './json-body.ts';
import { passMultipartBodies } from './multipart-body.ts';

/** How much of a request, and how slowly, is taken. Only tests need others than the defaults. */
export interface HttpLimits {
  /** For the body of a request that is no upload. */
  requestTimeoutMs: number;
  /** For a whole request of any kind. */
  uploadTimeoutMs: number;
  headersTimeoutMs: number;
  bodyLimitBytes: number;
  /** How often the two timeouts are looked at. */
  connectionsCheckingIntervalMs: number;
}

/** The limits of decisions.md and of the table of defaults. */
const HTTP_LIMITS: HttpLimits = {
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  headersTimeoutMs: 10_000,
  bodyLimitBytes: 256 * 1024,
  connectionsCheckingIntervalMs: 1_000,
};

/** Headers and URL of one request. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * The HTTP server of the API: request ids, limits, JSON bodies, and our envelope around every failure between the
 * socket and the controllers. Create the application with `bodyParser: false`, and finish with installHttpEdge.
 *
 * @param trustedProxies addresses and networks, with commas between, whose X-Forwarded-For tells a client's address
 */
export function createAdapter(limits: Partial<HttpLimits> = {}, trustedProxies?: string): FastifyAdapter {
  const all = { ...HTTP_LIMITS, ...limits };
  const options = fastifyOptions(all);
  const adapter = new FastifyAdapter<Server>({
    ...options,
    ...(trustedProxies !== undefined && { trustProxy: trustedProxies }),
  });
  const instance = adapter.getInstance();
  addEntryHooks(instance, all.requestTimeoutMs);
  readJsonBodies(instance);
  passMultipartBodies(instance);
  instance.server.on('connect', answerConnect);
  // An Expect other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would answer 417 without our envelope.
  instance.server.on('checkExpectation', (request, response) =>
    instance.server.emit('request', request, response),
  );
  return adapter;
}

function fastifyOptions(limits: HttpLimits): FastifyHttpOptions<Server> {
  return {
    genReqId: () => randomUUIDv7(),
    bodyLimit: limits.bodyLimitBytes,
    requestTimeout: limits.uploadTimeoutMs,
    // A drain lets the requests that are on their way finish; Fastify's own 503 is not in our envelope.
    return503OnClosing: false,
    http: {
      requestTimeout: limits.uploadTimeoutMs,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
    },
    // A long id in a path is an absent one, as any other.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    clientErrorHandler: answerClientError,
    // A URL that cannot be decoded is refused before any hook or filter.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(reply as FastifyReply, request.id);
      answerWithError(reply as FastifyReply, toApiError(error));
    },
  };
}
