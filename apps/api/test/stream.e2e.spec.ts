import { readFileSync } from 'node:fs';
import { type IncomingMessage, get as openGet } from 'node:http';
import { expect, test } from '@jest/globals';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ApiUnderTest, GOOD_SMS, startApi, startSharedApi } from './api-under-test.ts';
import { invite, signIn } from './users-under-test.ts';

const GATEWAY = { name: 'sim-1', channel: 'sms', kind: 'simulator' };

interface Stream extends AsyncDisposable {
  status: number;
  text: () => string;
  isEnded: () => boolean;
}

interface StreamOperation {
  description: string;
  responses: Record<string, { content: object }>;
}

const t = await startSharedApi();

async function listen(own: ApiUnderTest, apikey = own.p.apiKey): Promise<Stream> {
  return listenWith(own, { apikey });
}

async function listenWith(own: ApiUnderTest, headers: Record<string, string>): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = openGet(`${own.p.apiUrl}/v1/stream`, { agent: false, headers }, resolve);
  request.on('error', reject);
  const response = await promise;
  let text = '';
  let ended = false;
  response.on('data', (chunk: Buffer) => (text += chunk.toString()));
  response.on('close', () => (ended = true));
  response.on('error', () => (ended = true));
  return {
    status: response.statusCode ?? 0,
    text: () => text,
    isEnded: () => ended,
    [Symbol.asyncDispose]: async () => void request.destroy(),
  };
}

/** Asks for a stream, and disconnects before the answer. */
function leave(own: ApiUnderTest, apikey: string): void {
  const request = openGet(`${own.p.apiUrl}/v1/stream`, { agent: false, headers: { apikey } });
  request.on('error', () => undefined);
  request.once('finish', () => request.destroy());
}

test('a stream has the events of one account only', async () => {
  const stranger = await t.addKey('Stranger', ['send']);
  await using own = await listen(t);
  await using other = await listen(t, stranger);
  const { id } = (await t.call({ body: GOOD_SMS })).body;

  await waitFor(() => own.text().includes('event: message'), { otherwise: 'no event came' });
  await t.call({ body: GOOD_SMS, headers: { apikey: stranger } });
  await waitFor(() => other.text().includes('event: message'), { otherwise: 'no event came' });

  expect(own.text()).toContain(id);
  expect(other.text()).not.toContain(id);
  await waitFor(() => own.text().includes('event: queue'), { otherwise: 'no figures of queues came' });
  expect(other.text()).not.toContain('event: queue');
});

test('a claim and a gateway cause events, and those of the installation are for operators', async () => {
  const tenant = await t.addKey('Tenant', ['send']);
  await using own = await listen(t);
  await using other = await listen(t, tenant);
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await waitFor(() => own.text().includes(id), { otherwise: 'the send caused no event' });
  const seen = own.text().length;
  await waitFor(() => own.text().slice(seen).includes(id), { otherwise: 'no second event came' });

  const before = own.text().length;
  await fanOut(t.db, [id], 60);
  await waitFor(() => own.text().slice(before).includes(id), { otherwise: 'the claim caused no event' });

  await t.call({ path: '/v1/gateways', body: GATEWAY });
  await waitFor(() => own.text().includes('event: gateway'), { otherwise: 'no event of the gateway came' });
  const route = { name: 'to-sim', match: {}, targets: [{ gateway: GATEWAY.name }] };
  const quiet = own.text().length;
  await t.call({ path: '/v1/routes', body: route });
  await waitFor(() => own.text().slice(quiet).includes('event: route'), {
    otherwise: 'no event of the route came',
  });
  await t.db.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, err_code, description, reported_at)
     VALUES (uuidv7(), 'sim-1', 'report', 'x', 'x', '000', '', now())`,
  );
  await waitFor(() => own.text().slice(quiet).includes('event: orphan'), {
    otherwise: 'no event of the orphan report came',
  });
  await t.call({ path: '/v1/webhooks', body: { name: 'Failing', endPoint: 'https://example.com/' } });
  const healthy = own.text().length;
  await t.db.query(
    `INSERT INTO endpoint (webhook_id, failures, failing_since) SELECT id, 1, now() FROM webhook`,
  );
  await waitFor(() => own.text().slice(healthy).includes('event: endpoint'), {
    otherwise: 'no event of the failing endpoint came',
  });
  await t.db.query(
    `INSERT INTO live_worker (fleet, id, seen_at) VALUES ('sms', uuidv7(), now() + interval '1 hour')`,
  );
  await waitFor(() => own.text().slice(healthy).includes('event: worker'), {
    otherwise: 'no event of the worker came',
  });
  expect(own.text()).toContain('event: lane');
  expect(other.text()).not.toMatch(/event: (gateway|lane|parked|route|endpoint|orphan|worker)/);
});

test('/docs describes the stream and each kind of its events', async () => {
  const { body } = await t.call({ method: 'GET', path: '/docs/openapi.json' });
  const { get } = (body as unknown as { paths: Record<string, { get: StreamOperation }> }).paths[
    '/v1/stream'
  ]!;
  const interfaceDocs = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
  const [, table = ''] = /## Stream\n([^]*?)\nAn event/.exec(interfaceDocs) ?? [];
  const kinds = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));

  expect(Object.keys(get.responses)).toEqual(['200', '4XX', '5XX']);
  expect(Object.keys(get.responses['200']!.content)).toEqual(['text/event-stream']);
  expect(kinds).toHaveLength(12);
  expect(kinds.filter((kind) => !get.description.includes(kind))).toEqual([]);
});

test('a stream ends when its key is revoked', async () => {
  const key = await t.addKey('Revoked', ['send']);
  await using stream = await listen(t, key);
  await t.db.query(
    `UPDATE api_key SET revoked_at = now() WHERE account_id = (SELECT id FROM account WHERE name = 'Revoked')`,
  );

  await waitFor(() => stream.isEnded(), { otherwise: 'it goes on' });
  expect(stream.status).toBe(200);
});

test('a stream ends when its user gets another role', async () => {
  const { cookie, email } = await signIn(t, 'operator');
  await using stream = await listenWith(t, { cookie });
  await invite(t, 'viewer', 'Users', email);
  await t.db.query('UPDATE app_user SET is_operator = false WHERE email = $1', [email]);

  await waitFor(() => stream.isEnded(), { otherwise: 'it goes on' });
  expect(stream.status).toBe(200);
});

test('an account has a bounded number of streams, and closed ones leave nothing behind', async () => {
  const key = await t.addKey('Greedy', ['send']);
  const openAll = () => Promise.all(Array.from({ length: 50 }, () => listen(t, key)));
  const closeAll = (streams: Stream[]) => Promise.all(streams.map((each) => each[Symbol.asyncDispose]()));
  const untilFree = (own: Stream[]) => own.every(({ status }) => status === 200);
  for (let round = 0; round < 5; round += 1) {
    await t.call({ body: GOOD_SMS, headers: { apikey: key } });
    // most of them leave before they are answered
    for (let i = 0; i < 150; i += 1) leave(t, key);
    await waitFor(
      async () => {
        const streams = await openAll();
        await closeAll(streams);
        return untilFree(streams);
      },
      { otherwise: `the places are not free after round ${round}` },
    );
  }

  let streams: Stream[] = [];
  await waitFor(
    async () => {
      await closeAll(streams);
      streams = await openAll();
      return untilFree(streams);
    },
    { otherwise: 'the places are not free at the end' },
  );
  await using refused = await listen(t, key);
  expect(refused.status).toBe(429);
  await closeAll(streams);
});

test('a shutdown ends the streams and does not wait for them', async () => {
  const own = await startApi();
  await using stream = await listen(own);

  await own[Symbol.asyncDispose]();

  await waitFor(() => stream.isEnded(), { otherwise: 'the stream is open' });
  expect(stream.status).toBe(200);
});
