import type { FastifyInstance } from 'fastify';
import { register } from 'prom-client';

/** Adds /healthz (the process runs), /readyz (it can accept calls) and /metrics; they need no key. */
export function addOpsRoutes(instance: FastifyInstance, isReady: () => Promise<boolean>): void {
  instance.get('/healthz', () => ({ status: 'ok' }));
  instance.get('/readyz', async (_, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  instance.get('/metrics', async (_, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
