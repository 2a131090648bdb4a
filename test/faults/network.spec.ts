import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { createDatabase } from '../support/database.ts';
import type { Load } from '../support/load.ts';
import { type Proxy, startProxy } from '../support/proxy.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, type Tenant, startService } from '../support/service.ts';

/** The deadline of a statement, with the time that a slow machine adds. */
const DEADLINE_MS = 30_000;

testWithRedis('connections that slow down, stall or lose their other end lose no message', async () => {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startProxy(started.use(await createDatabase()).url));
  const redis = started.use(await startProxy(started.use(await startRedis()).url));
  const service = started.use(
    await startService({ queue: 'redis', databaseUrl: postgres.url, queueUrl: redis.url }),
  );
  const tenant = started.use(await service.createTenant());
  const endpoint = started.use(await startProxy(tenant.receiver.url));
  await tenant.addWebhook('by way of a proxy', endpoint.url);
  const load = started.use(tenant.startLoad());
  const disturb = async (proxy: Proxy): Promise<void> => {
    proxy.set({ sliceBytes: 7, latencyMs: 1 });
    await load.more(25);
    proxy.set({});
    proxy.loseAll();
    await untilLaterOnesPushed(load, tenant);
    await proxy.cut();
    await proxy.mend();
    await load.more(50, DEADLINE_MS);
  };

  await disturb(endpoint);
  await disturb(redis);
  redis.set({ isStalled: true });
  await load.more(100); // accepted without Redis
  redis.set({});
  await disturb(postgres);
  await load.stop();

  await waitFor(() => unfinished(load, tenant).length === 0, {
    timeoutMs: 2 * RECOVERY_MS,
    otherwise: () => `${unfinished(load, tenant).length} messages were not pushed by both webhooks`,
  });
  expect(Object.keys(load.failures()).filter((name) => name !== '503')).toEqual([]);
  expect(load.slowestMs()).toBeLessThan(DEADLINE_MS);
});

/** Waits until messages that are accepted from now on are pushed: work continues over new connections. */
async function untilLaterOnesPushed(load: Load, { receivedAt }: Tenant): Promise<void> {
  const before = load.accepted.size;
  await load.more(50, DEADLINE_MS);
  const later = [...load.accepted.keys()].slice(before);
  await waitFor(() => later.every((id) => receivedAt.has(id)), {
    timeoutMs: RECOVERY_MS,
    otherwise: 'work does not continue over new connections',
  });
}

/** Accepted messages that were not pushed under two ids, one of each webhook. */
function unfinished({ accepted }: Load, { receiver }: Tenant): string[] {
  const ids = new Map<string, Set<string>>();
  for (const { report, headers } of receiver.received) {
    const seen = ids.get(report['messageId'] ?? '') ?? new Set();
    ids.set(report['messageId'] ?? '', seen.add(String(headers['webhook-id'])));
  }
  return [...accepted.keys()].filter((id) => (ids.get(id)?.size ?? 0) < 2);
}
