import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type ReceivedPush, startReceiver } from '../support/receiver.ts';
import type { Load } from '../support/load.ts';
import { RECOVERY_MS, type Service, type Tenant, startService } from '../support/service.ts';

const BAD = ['hanging', 'failing', 'moved', 'huge', 'dripping'];

let service: Service;
beforeAll(async () => {
  service = await startService({ queue: A_QUEUE.name });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

test('the status line alone decides if a push was delivered or is retried', async () => {
  await using tenant = await service.createTenant();
  await using bad = await startReceiver(misbehave);
  for (const name of BAD) await tenant.addWebhook(name, `${bad.url}/${name}`);
  await tenant.addWebhook('down', await refusingUrl());

  await using load = tenant.startLoad({ callsPerSecond: 1, recipientsPerCall: 1 });
  await load.more(1);
  await load.stop();

  await tenant.untilPushed(load, 10_000);
  // A call times out after 15 s, and the next attempt follows 5 to 6 s later.
  const isCalledAgain = () =>
    bad.received.filter(({ url }) => url === '/hanging').length > load.accepted.size;
  await waitFor(isCalledAgain, {
    otherwise: 'the hanging endpoint was not called again',
  });
  expect(await listStates()).toEqual([
    'down WAITING',
    'dripping DELIVERED',
    'failing WAITING',
    'hanging WAITING',
    'huge DELIVERED',
    'moved WAITING',
    'reports DELIVERED',
  ]);
  expect(await listFailures()).toEqual([
    'down 1 connect_failed',
    'down 2 connect_failed',
    'failing 1 bad_status',
    'failing 2 bad_status',
    'hanging 1 timeout',
    'moved 1 redirect',
    'moved 2 redirect',
  ]);
  expect(new Set(bad.received.map(({ url }) => url.slice(1)))).toEqual(new Set(BAD));
});

test('an endpoint that hangs delays no push to another one', async () => {
  await using healthy = await service.createTenant();
  await using sick = await service.createTenant();
  await using hanging = await startReceiver(() => undefined);
  await sick.addWebhook('hanging', hanging.url);

  const slowestMs = await bestOf(10, () => sendAndTime([healthy, sick]));

  expect(hanging.received.length).toBeGreaterThan(0);
  expect(slowestMs).toBeLessThan(5_000);
});

function misbehave({ url }: ReceivedPush, response: ServerResponse): void {
  if (url === '/failing') response.writeHead(500).end();
  if (url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end();
  if (url === '/huge') writeMegabytes(response, 200);
  if (url === '/dripping') drip(response);
}

const MEGABYTE = Buffer.alloc(1024 * 1024);

function writeMegabytes(response: ServerResponse, count: number): void {
  if (count === 0) response.end();
  else if (!response.destroyed) response.write(MEGABYTE, () => writeMegabytes(response, count - 1));
}

/** Writes a byte every 100 ms until the caller disconnects. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 100);
  response.on('close', () => clearInterval(timer));
}

/** Returns an address where nobody listens. */
async function refusingUrl(): Promise<string> {
  await using receiver = await startReceiver();
  return receiver.url;
}

async function listStates(): Promise<string[]> {
  const rows = await service.query<{ state: string }>(
    `SELECT DISTINCT w.name || ' ' || p.status AS state FROM push p JOIN webhook w ON w.id = p.webhook_id ORDER BY state`,
  );
  return rows.map(({ state }) => state);
}

/** Reasons of the failures of the first two attempts. */
async function listFailures(): Promise<string[]> {
  const rows = await service.query<{ failure: string }>(
    `SELECT DISTINCT w.name || ' ' || a.attempt || ' ' || a.error AS failure
       FROM push_attempt a JOIN webhook w ON w.id = a.webhook_id WHERE a.attempt <= 2 ORDER BY failure`,
  );
  return rows.map(({ failure }) => failure);
}

/** Returns the best of several rounds: a busy machine is slow in some rounds, a delaying endpoint in each. */
async function bestOf(rounds: number, time: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < rounds && best >= 1_000; round += 1) best = Math.min(best, await time());
  return best;
}

/** Sends the same load for each account, and returns the highest p99 of their pushes in milliseconds. */
async function sendAndTime(tenants: Tenant[]): Promise<number> {
  const times = await Promise.all(
    tenants.map(async (tenant) => {
      await using load = tenant.startLoad({ callsPerSecond: 30 });
      await load.more(500);
      await load.stop();
      await tenant.untilPushed(load, RECOVERY_MS);
      return percentile(await listPushTimes(tenant, load));
    }),
  );
  return Math.max(...times);
}

function percentile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity;
}

/** Lists the milliseconds from the storage of each report to the arrival of its push. */
async function listPushTimes({ receivedAt }: Tenant, { accepted }: Load): Promise<number[]> {
  const rows = await service.query<{ id: string; at: Date }>(
    `SELECT submission_id || ':' || n AS id, received_at AS at FROM message_event`,
  );
  const reportedAt = new Map(rows.map(({ id, at }) => [id, at.getTime()]));
  return [...accepted.keys()].map((id) => (receivedAt.get(id) ?? Infinity) - (reportedAt.get(id) ?? 0));
}
