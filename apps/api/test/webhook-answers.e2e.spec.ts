import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ApiUnderTest, GOOD_SMS, startApi } from './api-under-test.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const PATH = '/v1/webhooks';
const MB = 1024 * 1024;
const DAY = 86_400;

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    response.writeHead(code, headers).end('x'.repeat(100));

/** Bytes that no HTTP library would send. */
const bytes =
  (text: string, everyMs?: number): Behaviour =>
  ({ socket }) => {
    socket.write(text);
    const timer = everyMs && setInterval(() => socket.write('x'), everyMs);
    socket.on('close', () => clearInterval(timer));
  };

interface Expected {
  status: 'DELIVERED' | 'WAITING' | 'EXHAUSTED';
  error: string | null;
  /** Minimum and maximum seconds until the next call. */
  next?: [number, number];
}

const success: Expected = { status: 'DELIVERED', error: null };
const failure = (error: string, next: [number, number] = [4, 6]): Expected => ({
  status: 'WAITING',
  error,
  next,
});

/** Behaviour of an endpoint and outcome of its push, by path. */
const END_POINTS: Record<string, [Behaviour, Expected]> = {
  '200-with-200-MB': [(_, response) => flood(response.writeHead(200), 200 * MB), success],
  '500-with-200-MB': [(_, response) => flood(response.writeHead(500), 200 * MB), failure('bad_status')],
  '200-that-drips': [bytes('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', 100), success],
  'headers-that-never-end': [bytes('HTTP/1.1 200 OK\r\nx-drip: ', 100), failure('timeout')],
  silence: [() => undefined, failure('timeout')],
  'header-of-1-MB': [bytes(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MB)}\r\n\r\n`), failure('headers_too_large')],
  'gzip-that-is-none': [status(200, { 'content-encoding': 'gzip' }), success],
  'no-http': [bytes('SSH-2.0-OpenSSH_9.9\r\n'), failure('bad_answer')],
  'status-204': [status(204), success],
  'status-299': [status(299), success],
  'status-300': [status(300), failure('redirect')],
  'status-307': [status(307, { location: '/status-204' }), failure('redirect')],
  'status-399': [status(399), failure('redirect')],
  'status-400': [status(400), failure('bad_status')],
  'status-404': [status(404), failure('bad_status')],
  'status-500': [status(500), failure('bad_status')],
  'status-599': [status(599), failure('bad_status')],
  '100-only': [({ socket }) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), failure('connection_lost')],
  reset: [({ socket }) => socket.resetAndDestroy(), failure('connection_lost')],
  'status-410': [status(410), { status: 'EXHAUSTED', error: 'bad_status' }],
  'retry-after-an-hour': [status(429, { 'retry-after': '3600' }), failure('bad_status', [3_595, 4_320])],
  'retry-after-minus-one': [status(503, { 'retry-after': '-1' }), failure('bad_status')],
  'retry-after-9999': [
    status(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
    failure('bad_status', [DAY - 5, DAY]),
  ],
  'retry-after-abc': [status(429, { 'retry-after': 'abc' }), failure('bad_status')],
};

/** Endpoints whose first call ends at its deadline of 15 s. The others have answered by then. */
const SLOW = ['200-that-drips', 'headers-that-never-end', 'silence'];

test('any answer of an endpoint ends a push, schedules its retry or gives it up', async () => {
  await using t = await startApi({ workers: ['sms', 'dlr'], gateway: new ScriptedGateway() });
  await using endPoints = await startEndPoints(); // gone before the worker, which would wait for calls under way
  for (const name of Object.keys(END_POINTS)) await createWebhook(t, name, `${endPoints.url}/${name}`);

  const { body } = await t.call({ body: GOOD_SMS });

  const names = Object.keys(END_POINTS);
  await settled(t, names.length - SLOW.length);
  for (const { name, nextSeconds } of await listPushes(t)) {
    const { next } = END_POINTS[name]![1];
    if (next && !SLOW.includes(name))
      expect([name, nextSeconds >= next[0] && nextSeconds <= next[1]]).toEqual([name, true]);
  }
  await settled(t, names.length);
  const pushes = await listPushes(t);
  const outcomes = names.map((name) => [name, END_POINTS[name]![1].status, END_POINTS[name]![1].error]);
  expect(pushes.map(({ name, status: is, error }) => [name, is, error])).toEqual(
    outcomes.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
  expect(await disabled(t)).toEqual(['status-410']);
  expect(endPoints.sentBytes).toBeLessThan(40 * MB);
  const { timeline } = (await t.call<Message>({ method: 'GET', path: `/v1/messages/${body.id}:1` })).body
    .data;
  const failed = timeline
    .filter(({ event }) => event === 'push_attempt')
    .map(({ webhookName }) => webhookName);
  expect(new Set(failed)).toEqual(new Set(pushes.flatMap(({ name, error }) => (error ? [name] : []))));
  expect((await t.call({ body: GOOD_SMS })).status).toBe(200);
});

test('an address that turns local between save and dial gets no connection', async () => {
  await using receiver = await startReceiver();
  await using t = await startApi({
    workers: ['sms', 'dlr'],
    gateway: new ScriptedGateway(),
    env: { ALLOW_PRIVATE_WEBHOOKS: '0' },
  });
  await createWebhook(t, 'turned', 'https://198.41.0.4/');
  await t.db.query(`UPDATE webhook SET endpoint = $1`, [receiver.url]);

  await t.call({ body: GOOD_SMS });

  await settled(t, 1);
  expect(await listPushes(t)).toMatchObject([
    { name: 'turned', status: 'WAITING', error: 'endpoint_forbidden' },
  ]);
  expect(receiver.received).toEqual([]);
});

async function createWebhook(t: ApiUnderTest, name: string, endPoint: string): Promise<void> {
  expect((await t.call({ path: PATH, body: { name, endPoint } })).status).toBe(201);
}

interface Message {
  timeline: { event: string; webhookName?: string }[];
}

interface Push {
  name: string;
  status: string;
  error: string | null;
  nextSeconds: number;
}

function listPushes({ db }: ApiUnderTest): Promise<Push[]> {
  return db.query(
    `SELECT w.name, p.status, p.error, extract(epoch FROM p.next_attempt_at - a.attempted_at)::float AS "nextSeconds"
       FROM push p JOIN webhook w ON w.id = p.webhook_id
       LEFT JOIN push_attempt a ON a.report_id = p.report_id AND a.webhook_id = p.webhook_id AND a.attempt = p.attempts
      ORDER BY w.name`,
  );
}

/** Resolves when each push was called once or given up. */
async function settled({ db }: ApiUnderTest, count: number): Promise<void> {
  const ended = async (): Promise<boolean> => {
    const [row] = await db.query(`SELECT count(*)::integer AS count FROM push WHERE attempts >= 1`);
    return (row as { count: number }).count >= count;
  };
  await waitFor(ended, { otherwise: `${count} pushes were not called` });
}

async function disabled({ db }: ApiUnderTest): Promise<string[]> {
  const rows: { name: string }[] = await db.query(`SELECT name FROM webhook WHERE disabled_at IS NOT NULL`);
  return rows.map(({ name }) => name);
}

let flooded = 0;

/** Sends bytes until the other side stops reading. */
function flood(response: ServerResponse, sizeBytes: number): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (sizeBytes > 0 && !response.destroyed) {
      sizeBytes -= chunk.length;
      flooded += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

async function startEndPoints(): Promise<AsyncDisposable & { url: string; readonly sentBytes: number }> {
  const server = createServer((request, response) => {
    request.resume();
    const [behaviour] = END_POINTS[request.url?.slice(1) ?? ''] ?? [status(404)];
    request.on('end', () => behaviour(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sentBytes() {
      return flooded;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
