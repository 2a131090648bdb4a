import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Service, type Tenant, startService } from '../support/service.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { NAME_SERVER } from './silent-name-server.ts';
import { p99, pushTimes } from './times.ts';

const PRELOAD = `--disable-warning=ExperimentalWarning --import=${join(import.meta.dirname, 'silent-name-server.ts')}`;
/** Milliseconds from a 2xx to the push of a message of an account whose endpoint is healthy. */
const HEALTHY_P99_MS = 1_000;
const CALLS_PER_SECOND = 1;
const TARPIT_WEBHOOKS = 10;
/** Maximum number of calls in flight to a tarpit. */
const MAX_IN_FLIGHT = 256;
/** Calls in flight to the tarpits before the others are measured: one that never answered gets four. */
const TARPIT_CALLS = 4 * TARPIT_WEBHOOKS;
const DRIP_EVERY_MS = 100;
const PATIENCE_MS = 120_000;

/** Starts an endpoint of a kind, and returns its address. */
type StartEndpoint = (started: AsyncDisposableStack) => Promise<string>;

const BAD: Record<string, StartEndpoint> = {
  hangs: receiverThat(() => undefined),
  'returns 500': receiverThat((response) => response.writeHead(500).end()),
  'drips bytes': receiverThat(drip),
  resets: startResetting,
  'has silent name servers': async () => `http://silent-${crypto.randomUUID()}.example/`,
};

/**
 * Sends for accounts with healthy endpoints, alone and then next to as many with bad ones and an account whose webhooks
 * are tarpits.
 */
export async function runEndpoints({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { endpoints = 0, seconds = 0 } = sizes;
  await using started = new AsyncDisposableStack();
  const env = { NODE_OPTIONS: PRELOAD, [NAME_SERVER]: await startSilentNameServer(started) };
  const service = started.use(await startService({ queue, ownPostgres: true, env }));
  const half = Math.floor(endpoints / 2);
  const healthy = await createTenants(service, started, half);
  await measure(healthy, seconds / 4); // warms up
  const alone = await measure(healthy, seconds);
  const bad = await createBadTenants(service, started, half);
  const loads = bad.map((tenant) => started.use(tenant.startLoad(oneByOne(CALLS_PER_SECOND))));
  const tarpit = await fillTarpits(service, started);
  const together = await measure(healthy, seconds);
  await Promise.all(loads.map((load) => load.stop()));
  return {
    flows: [],
    figures: {
      'calls in the tarpits, at most': tarpit.most(),
      'p99 alone, in ms': alone.p99Ms,
      'p99 next to the bad ones, in ms': together.p99Ms,
      'slowest next to the bad ones, in ms': together.slowestMs,
      messages: together.messages,
      'pushes by failure': JSON.stringify(await listFailures(service)),
      'load of the machine': `${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
    },
    broken: broken({
      [`the p99 of the healthy accounts is ${together.p99Ms} ms`]: together.p99Ms > HEALTHY_P99_MS,
      'calls of the healthy accounts failed': together.failed > 0,
    }),
  };
}

interface Measured {
  p99Ms: number;
  slowestMs: number;
  messages: number;
  failed: number;
}

async function measure(tenants: readonly Tenant[], seconds: number): Promise<Measured> {
  const loads = tenants.map((tenant) => tenant.startLoad(oneByOne(CALLS_PER_SECOND)));
  for (const until = Date.now() + seconds * 1_000; Date.now() < until; ) await loads[0]?.more(1);
  await Promise.all(loads.map((load) => load.stop()));
  await Promise.all(tenants.map((tenant, i) => tenant.untilPushed(loads[i]!, PATIENCE_MS)));
  const times = tenants.flatMap((tenant, i) => pushTimes(loads[i]!, tenant));
  return {
    p99Ms: p99(times),
    slowestMs: times.length > 0 ? Math.max(...times) : Infinity,
    messages: times.length,
    failed: loads.filter((load) => Object.keys(load.failures()).length > 0).length,
  };
}

/** Calls for one number each, which the simulator delivers immediately. */
function oneByOne(callsPerSecond: number): Parameters<Tenant['startLoad']>[0] {
  const bodyOf = (index: number) => ({
    sender: 'SIGNALBX',
    to: `9198${String(index).padStart(6, '0')}1234`,
    text: 'Hello',
    type: 'TRANS',
  });
  return { callsPerSecond, callOf: (index) => ({ path: '/v1/sms', body: bodyOf(index) }) };
}

async function createTenants(
  service: Service,
  started: AsyncDisposableStack,
  count: number,
): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let i = 0; i < count; i += 1) tenants.push(started.use(await service.createTenant()));
  return tenants;
}

/** Creates accounts whose second webhook is bad, with the kinds one after another. */
async function createBadTenants(
  service: Service,
  started: AsyncDisposableStack,
  count: number,
): Promise<Tenant[]> {
  const tenants = await createTenants(service, started, count);
  const kinds = Object.entries(BAD);
  for (const [i, tenant] of tenants.entries()) {
    const [name, start] = kinds[i % kinds.length]!;
    await tenant.addWebhook(name, await start(started));
  }
  return tenants;
}

/** Sends for an account whose webhooks answer nothing, until many calls hang. */
async function fillTarpits(service: Service, started: AsyncDisposableStack): Promise<{ most: () => number }> {
  const tenant = started.use(await service.createTenant());
  let open = 0;
  let most = 0;
  const receiver = started.use(
    await startReceiver((_, response) => {
      most = Math.max(most, (open += 1));
      response.on('close', () => (open -= 1));
    }),
  );
  for (let i = 0; i < TARPIT_WEBHOOKS; i += 1)
    await tenant.addWebhook(`tarpit ${i}`, `${receiver.url}/${i}`, MAX_IN_FLIGHT);
  started.use(tenant.startLoad({ callsPerSecond: 10, recipientsPerCall: 25 }));
  await waitFor(() => most >= TARPIT_CALLS, {
    timeoutMs: PATIENCE_MS,
    otherwise: () => `the tarpits had ${most} calls`,
  });
  return { most: () => most };
}

function receiverThat(answer: (response: ServerResponse) => void): StartEndpoint {
  return async (started) => {
    const receiver = started.use(await startReceiver((_, response) => answer(response)));
    return receiver.url;
  };
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), DRIP_EVERY_MS);
  response.on('close', () => clearInterval(timer));
}

async function startResetting(started: AsyncDisposableStack): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.resetAndDestroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Starts a name server that answers nothing. @returns its address */
async function startSilentNameServer(started: AsyncDisposableStack): Promise<string> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  started.defer(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

async function listFailures(service: Service): Promise<Record<string, number>> {
  const rows = await service.query<{ error: string; count: number }>(
    `SELECT a.error, count(*)::integer AS count FROM push_attempt a WHERE a.error IS NOT NULL GROUP BY a.error`,
  );
  return Object.fromEntries(rows.map(({ error, count }) => [error, count]));
}
