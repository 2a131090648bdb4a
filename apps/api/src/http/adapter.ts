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

/** Limits on the size and duration of a request. Only tests change the defaults. */
export interface HttpLimits {
  /** Milliseconds for the body of a request other than an upload. */
  requestTimeoutMs: number;
  /** Milliseconds for a whole request of any kind. */
  uploadTimeoutMs: number;
  headersTimeoutMs: number;
  bodyLimitBytes: number;
  /** Limit of POST /v1/sms: 10,000 recipients with separate values fit. */
  bulkLimitBytes: number;
  /** Milliseconds between checks of the timeouts. */
  connectionsCheckingIntervalMs: number;
}

/** The documented limits. */
const HTTP_LIMITS: HttpLimits = {
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  headersTimeoutMs: 10_000,
  bodyLimitBytes: 256 * 1024,
  bulkLimitBytes: 1024 * 1024,
  connectionsCheckingIntervalMs: 1_000,
};

const BULK_PATH = '/v1/sms';

/** Maximum bytes of headers and URL. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Creates the HTTP server of the API: request ids, limits, JSON bodies, and the error envelope for every failure
 * between socket and controllers. Create the application with `bodyParser: false`, and finish with installHttpEdge.
 *
 * @param trustedProxies comma-separated addresses and networks whose X-Forwarded-For is trusted
 */
export function createAdapter(limits: Partial<HttpLimits> = {}, trustedProxies?: string): FastifyAdapter {
  const all = { ...HTTP_LIMITS, ...limits };
  const options = fastifyOptions(all);
  const adapter = new FastifyAdapter<Server>({
    ...options,
    ...(trustedProxies !== undefined && { trustProxy: trustedProxies }),
  });
  const instance = adapter.getInstance();
  instance.addHook('onRoute', (route) => {
    if (route.method === 'POST' && route.url === BULK_PATH) route.bodyLimit = all.bulkLimitBytes;
  });
  addEntryHooks(instance, all.requestTimeoutMs);
  readJsonBodies(instance);
  passMultipartBodies(instance);
  // A client may end its side of the connection after its request, and still gets its answer.
  Object.assign(instance.server, { httpAllowHalfOpen: true });
  instance.server.on('connect', answerConnect);
  // An Expect other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would return 417 without our envelope.
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
    // Requests in progress are answered during a drain. Fastify's own 503 would have another envelope.
    return503OnClosing: false,
    http: {
      requestTimeout: limits.uploadTimeoutMs,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
    },
    // A long id in a path is treated as any unknown id.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    clientErrorHandler: answerClientError,
    // A URL that cannot be decoded is refused before any hook or filter.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(reply as FastifyReply, request.id);
      answerWithError(reply as FastifyReply, toApiError(error));
    },
  };
}
