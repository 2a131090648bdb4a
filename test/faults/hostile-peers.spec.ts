import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { certificateFile } from '../support/certificates.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type HostilePeer, startHostilePeers } from './hostile-peers.ts';
import { RECOVERY_MS, type Service, type Tenant, startService } from '../support/service.ts';

/** Minimum number of connections to each peer; slow peers get fewer. `PEER_CONNECTIONS=10000` is the long form. */
const CONNECTIONS = Number(process.env.PEER_CONNECTIONS ?? 0);
const TIMEOUT_MS = 300_000 + 200 * CONNECTIONS;

/** Connections that each process opens to one origin; more calls wait. */
const PLACES = { 'dlr-worker': 256, api: 4 };

/** Maximum `maxInFlight` of a webhook: two webhooks at one origin have more calls than it has places. */
const MAX_IN_FLIGHT = 256;

/** Calls that a webhook gets at the same time until its endpoint has answered one. */
const AT_FIRST = 4;

/** Maximum number of webhook tests per account and minute. */
const TESTS = 10;

/** Attempts of each push. */
const ATTEMPTS = 10;

let service: Service;
let pids: (number | undefined)[];

const listPids = () => (['api', 'dlr-worker'] as const).map((app) => service.stack.process(app).pid);

beforeAll(async () => {
  service = await startService({
    queue: A_QUEUE.name,
    env: { NODE_EXTRA_CA_CERTS: certificateFile('trusted') },
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

beforeEach(() => {
  pids = listPids();
});

test(
  'hostile peers with a backlog of pushes neither crash the dlr-worker nor delay others',
  async () => {
    await using healthy = await service.createTenant();
    await using attacked = await service.createTenant();
    await using peers = await usePeers(PLACES['dlr-worker']);
    const webhookIds = await addTwoWebhooksEach(attacked, peers.all);

    await send(attacked, Math.max(MAX_IN_FLIGHT + 50, Math.ceil(CONNECTIONS / ATTEMPTS)));
    await untilAllWereCalled(attacked, peers.all, webhookIds);
    await expectPushes(healthy);

    expect(listPids()).toEqual(pids);
    await waitFor(() => service.stack.process('dlr-worker').isReady(), {
      otherwise: 'the dlr-worker is not ready',
    });
  },
  TIMEOUT_MS,
);

test(
  'hostile peers of concurrent webhook tests do not crash the api',
  async () => {
    await using peers = await usePeers(PLACES.api);
    await using healthy = await service.createTenant();

    const slow = peers.all.filter(({ isSlow }) => isSlow);
    const others = peers.all.filter(({ isSlow }) => !isSlow);
    const slowTests = testTogether(slow);
    for (let calls = 0; calls <= CONNECTIONS; calls += TESTS) {
      const statuses = await testTogether(others);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    for (const peer of slow) await peer[Symbol.asyncDispose]();
    expect(new Set(await slowTests)).toEqual(new Set([200]));
    await expectPushes(healthy);

    expect(listPids()).toEqual(pids);
    await waitFor(() => service.stack.process('api').isReady(), { otherwise: 'the api is not ready' });
  },
  TIMEOUT_MS,
);

async function usePeers(crowd: number): Promise<AsyncDisposable & { all: HostilePeer[] }> {
  const all = await startHostilePeers(crowd);
  return {
    all,
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(all.map((peer) => peer[Symbol.asyncDispose]()))),
  };
}

/** @returns the ids of the webhooks of each peer */
async function addTwoWebhooksEach(tenant: Tenant, peers: HostilePeer[]): Promise<Map<HostilePeer, string[]>> {
  const ids = peers.map(async (peer) => {
    const add = (name: string) => tenant.addWebhook(name, peer.url, MAX_IN_FLIGHT);
    return [peer, await Promise.all([add(`${peer.name} 1`), add(`${peer.name} 2`)])] as const;
  });
  return new Map(await Promise.all(ids));
}

async function send(tenant: Tenant, messages: number): Promise<void> {
  await using load = tenant.startLoad({ recipientsPerCall: messages < 1_000 ? messages : 500 });
  await load.more(messages);
}

/** Enables each webhook again whenever its breaker has opened, until every peer has its calls. */
async function untilAllWereCalled(
  tenant: Tenant,
  peers: HostilePeer[],
  webhookIds: Map<HostilePeer, string[]>,
): Promise<void> {
  const haveAllCalls = async () => {
    expect(listPids()).toEqual(pids);
    const calls = await countCalls(webhookIds);
    const lacking = peers.filter((peer) => (calls.get(peer) ?? 0) < wantedCalls(peer));
    const ids = lacking.flatMap((peer) => (peer.isSlow ? [] : (webhookIds.get(peer) ?? [])));
    await Promise.all(ids.map((id) => tenant.post(`/v1/webhooks/${id}/enable`)));
    return lacking.length === 0;
  };
  await waitFor(haveAllCalls, {
    timeoutMs: TIMEOUT_MS,
    otherwise: 'some peers were not called often enough',
  });
}

/**
 * The number of calls to wait for. More than its two webhooks may have at first, only as many for a slow peer, and one
 * for an address where nobody listens.
 */
function wantedCalls(peer: HostilePeer): number {
  if (peer.isSlow) return 2 * AT_FIRST;
  return Math.max(CONNECTIONS, peer.connections() === undefined ? 1 : 4 * AT_FIRST);
}

/** Counts the connections to each peer, or the failed attempts where nobody listens. */
async function countCalls(webhookIds: Map<HostilePeer, string[]>): Promise<Map<HostilePeer, number>> {
  const rows = await service.query<{ id: string; attempts: number }>(
    `SELECT webhook_id AS id, sum(attempts)::integer AS attempts FROM push GROUP BY webhook_id`,
  );
  const attempts = new Map(rows.map((row) => [row.id, row.attempts]));
  const failed = (ids: string[]) => ids.reduce((sum, id) => sum + (attempts.get(id) ?? 0), 0);
  return new Map([...webhookIds].map(([peer, ids]) => [peer, peer.connections() ?? failed(ids)]));
}

/** Makes the maximum number of tests of a webhook of each peer, all concurrently. @returns their statuses */
async function testTogether(peers: HostilePeer[]): Promise<number[]> {
  await using tenants = new AsyncDisposableStack();
  const tests: (() => Promise<number>)[] = [];
  // One after another, because each account is created under the same lock, for which it waits a limited time.
  for (const peer of peers) {
    const tenant = tenants.use(await service.createTenant());
    const id = await tenant.addWebhook(peer.name, peer.url);
    for (let n = 0; n < TESTS; n += 1) tests.push(() => tenant.post(`/v1/webhooks/${id}/test`));
  }
  return await Promise.all(tests.map((run) => run()));
}

async function expectPushes(tenant: Tenant): Promise<void> {
  await using load = tenant.startLoad({ recipientsPerCall: 5 });
  await load.more(50);
  await load.stop();
  await tenant.untilPushed(load, RECOVERY_MS);
}
