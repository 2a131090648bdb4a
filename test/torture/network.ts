import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS } from '../../tools/servers/app-process.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { startRedis } from '../../tools/servers/redis.ts';
import { type Faults, type Proxy, startProxy } from '../support/proxy.ts';
import { startService } from '../support/service.ts';
import { startPrimary } from '../support/standby.ts';
import { type Fault, makeFaults } from './dependencies.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { Traffic } from './traffic.ts';

/** The deadline of a statement, with the time that a loaded machine adds. */
const DEADLINE_MS = 20_000;

/** Faults that last for a time, in both directions. */
const LASTING: Record<string, Faults> = {
  slow: { latencyMs: 50 },
  sliced: { sliceBytes: 7 },
  narrow: { bytesPerSecond: 200_000 },
  stalled: { isStalled: true },
};

/** Disturbs the ways to Postgres, to Redis and to the endpoints, one after another, under a load of all kinds. */
export async function runNetwork({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { sms, chat, codes, rate = 0 } = sizes;
  await using started = new AsyncDisposableStack();
  const toPostgres = started.use(await startProxy(started.use(await startPrimary()).url));
  const toRedis = queue === 'redis' ? started.use(await startProxy(await ownRedis(started))) : undefined;
  const databaseUrl = toPostgres.url;
  const queueUrl = toRedis?.url;
  const service = started.use(
    await startService({ queue, databaseUrl, apps: APPS, ...(queueUrl && { queueUrl }) }),
  );
  const toEndpoints: Proxy[] = [];
  const endpointOf = async (url: string): Promise<string> => {
    const proxy = started.use(await startProxy(url));
    toEndpoints.push(proxy);
    return proxy.url;
  };
  const load = { sms, chat, codes, perSecond: rate };
  const traffic = started.use(await Traffic.start(service, load, { endpointOf }));
  const faults = {
    ...faultsOf('Postgres', [toPostgres]),
    ...(toRedis && faultsOf('Redis', [toRedis])),
    ...faultsOf('endpoints', toEndpoints),
  };
  return await makeFaults({
    service,
    traffic,
    sizes,
    faults,
    rules: ({ failures, slowestMs }) =>
      broken({
        [`calls failed otherwise than by 503: ${JSON.stringify(failures)}`]: Object.keys(failures).some(
          (name) => name !== '503',
        ),
        [`a call took ${(slowestMs / 1_000).toFixed(1)} s`]: slowestMs > DEADLINE_MS,
      }),
  });
}

async function ownRedis(started: AsyncDisposableStack): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-redis-'));
  started.defer(() => rmSync(dir, { recursive: true, force: true }));
  const redis = await startRedis({ dir, port: await freePort() });
  started.defer(() => redis.stop());
  return redis.url;
}

/** Returns the faults of one place, by name. */
function faultsOf(place: string, proxies: readonly Proxy[]): Record<string, Fault> {
  const lasting = Object.entries(LASTING).map(([name, faults]) => [
    `${place}, ${name}`,
    async (_: unknown, seconds: number): Promise<void> => {
      for (const proxy of proxies) proxy.set(faults);
      await delay(seconds * 1_000);
      for (const proxy of proxies) proxy.set({});
    },
  ]);
  return {
    ...(Object.fromEntries(lasting) as Record<string, Fault>),
    [`${place}, cut`]: async (_, seconds) => {
      await Promise.all(proxies.map((proxy) => proxy.cut()));
      await delay(seconds * 1_000);
      await Promise.all(proxies.map((proxy) => proxy.mend()));
    },
    [`${place}, half-open`]: async () => proxies.forEach((proxy) => proxy.loseAll()),
  };
}
