import type { Logger } from '@signalbox/runtime/logger';
import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { CallerRequest } from '../auth/caller.ts';
import { traceRequest } from './request-trace.ts';

const seconds = new Histogram({
  name: 'signalbox_http_request_seconds',
  help: 'Duration of requests, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
});

/**
 * Logs one `http.answered` event per request at its end, and observes its duration. It never holds a body, a
 * query string or a key.
 */
export function logRequests(instance: FastifyInstance, logger: Logger): void {
  instance.addHook('onResponse', (request: CallerRequest, reply, done) => {
    const { id: requestId, method, caller } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.routeOptions.url ?? 'unknown';
    const durationMs = Math.round(elapsedTime * 10) / 10;
    traceRequest(request, reply, durationMs);
    seconds.observe({ method, route, status }, elapsedTime / 1000);
    if (logger.isLevelEnabled('info')) {
      const who = { requestId, accountId: caller?.accountId, keyId: caller?.keyId };
      logger.routine({ ...who, method, route, status, durationMs }, 'http.answered');
    }
    done();
  });
}
