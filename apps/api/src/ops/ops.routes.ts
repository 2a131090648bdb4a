import type { FastifyInstance } from 'fastify';
import { register } from 'prom-client';
import type { OpsPort } from './ops-port.ts';

/** Milliseconds for which an answer of the database or a text of metrics counts: callers without a key add no load. */
const FRESH_MS = 1_000;

/**
 * Adds /healthz (the process runs), /readyz (it can accept calls) and /metrics, as they were within the last second;
 * they need no key. With OPS_PORT, /metrics is on that port only.
 *
 * @param isWritable asks the database; its answer counts for a second
 */
export function addOpsRoutes(
  instance: FastifyInstance,
  opsPort: OpsPort,
  { isDraining, isWritable }: { isDraining: () => boolean; isWritable: () => Promise<boolean> },
): void {
  const isReady = cachedFor(FRESH_MS, isWritable);
  const metrics = cachedFor(FRESH_MS, () => register.metrics());
  instance.get('/healthz', () => ({ status: 'ok' }));
  instance.get('/readyz', async (_, reply) => {
    const ready = !isDraining() && (await isReady());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  instance.get('/metrics', async (request, reply) => {
    if (opsPort.isClosedTo(request)) return reply.callNotFound();
    return reply.type(register.contentType).send(await metrics());
  });
}

/** Asks at most once per `ms`; calls in between share the answer. */
function cachedFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (known && performance.now() - askedAt < ms) return known;
    askedAt = performance.now();
    return (known = ask());
  };
}
