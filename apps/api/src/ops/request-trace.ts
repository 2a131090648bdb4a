import { readTraceparent } from '@signalbox/runtime/trace-ids';
import { isTracing, traceSpan } from '@signalbox/runtime/tracing';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends that requests have stored. */
const sends = new WeakMap<FastifyRequest, string>();

/** Notes that a request has stored a send, whose trace it then begins. */
export function noteSend(request: FastifyRequest, submissionId: string): void {
  if (isTracing()) sends.set(request, submissionId);
}

/**
 * Traces a request of the API at its end. One that stored a send begins the trace of that send, with a link to the
 * caller's span; another one continues the caller's trace.
 */
export function traceRequest(request: FastifyRequest, reply: FastifyReply, durationMs: number): void {
  if (!isTracing()) return;
  const route = request.routeOptions.url ?? 'unknown';
  if (!route.startsWith('/v1')) return;
  const submissionId = sends.get(request);
  const caller = readTraceparent(request.headers['traceparent']);
  const endMs = Date.now();
  traceSpan({
    name: `${request.method} ${route}`,
    kind: 'server',
    startMs: endMs - durationMs,
    endMs,
    ...(submissionId === undefined
      ? { parent: caller }
      : { submissionId, isFirst: true, links: caller ? [caller] : [] }),
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'signalbox.request_id': request.id,
    },
    isFailure: reply.statusCode >= 500,
  });
}
