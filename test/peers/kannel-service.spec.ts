import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { callApi } from '../support/call-api.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { finalStatuses, sendSms } from './sent-sms.ts';
import { type Kannel, findKannel, startKannel } from './kannel.ts';

/** Skips the tests of a machine without Debian's packages kannel and libnet-smpp-perl. */
const withKannel = findKannel() ? describe : describe.skip;
const SECRET = 'a-long-random-text';
const TIMEOUT_MS = 60_000;

let service: Service;
let kannel: Kannel;
let receiver: Receiver;

withKannel('the service with Kannel as its gateway', () => {
  beforeAll(start);

  afterAll(async () => {
    for (const each of [receiver, service, kannel]) await each?.[Symbol.asyncDispose]();
  });

  test('every message reaches Kannel once, and its report a webhook', async () => {
    const to = Array.from({ length: 40 }, (_, i) => `9198${String(10_000_000 + i)}`);

    const ids = await sendSms(service.stack, { to, text: 'Hello from the service' });

    await receiver.until((pushes) => finalStatuses(pushes).size >= to.length, TIMEOUT_MS);
    const statuses = finalStatuses(receiver.received);
    expect(ids.map((id, i) => `${to[i]} ${statuses.get(id)}`)).toEqual(
      to.map((number) => `${number} ${number.endsWith('1') ? 'Failed' : 'Delivered'}`),
    );
    const reached = kannel.submitted.filter((line) => line.endsWith('Hello from the service'));
    expect(new Set(reached.map((line) => line.split(' ')[0]))).toEqual(new Set(to));
    expect(reached).toHaveLength(to.length);
  });

  test('the reply of a recipient is a message of the account that the gateway serves', async () => {
    const [account] = await service.query<{ id: string }>('SELECT id FROM account');
    const match = { accounts: [account!.id] };
    await callApi(service.stack, 'POST', '/v1/routes', {
      name: 'all',
      match,
      targets: [{ gateway: 'kannel' }],
    });

    await sendSms(service.stack, { to: ['919812345678'], text: 'A reply please' });

    await waitFor(async () => (await replies()).length > 0, {
      timeoutMs: TIMEOUT_MS,
      otherwise: 'the reply was not stored',
    });
    expect(await replies()).toEqual([
      { gateway: 'kannel', sender: '919812345678', recipient: 'ACME', text: 'STOP & go' },
    ]);
    const kept = await service.query<{ body: string }>(`SELECT encode(body, 'escape') AS body FROM callback`);
    expect(kept.filter(({ body }) => body.includes(SECRET))).toEqual([]);
  });
});

async function start(): Promise<void> {
  const apiPort = await freePort();
  kannel = await startKannel(
    `http://127.0.0.1:${apiPort}/v1/callbacks/kannel?key=${SECRET}&id=%I&from=%p&to=%P&text=%b&at=%T`,
  );
  service = await startService({
    queue: A_QUEUE.name,
    apps: ['api', 'sms-worker', 'chatapp-worker', 'dlr-worker'],
    apiPort,
  });
  receiver = await startReceiver();
  await callApi(service.stack, 'POST', '/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  await callApi(service.stack, 'POST', '/v1/gateways', {
    name: 'kannel',
    channel: 'sms',
    kind: 'http',
    settings: { preset: 'kannel', baseUrl: kannel.url, username: kannel.username, allowPrivateNetwork: true },
    secrets: { token: kannel.password, callbackSecret: SECRET },
  });
  await waitFor(async () => (await readState()).status === 'connecting', {
    timeoutMs: TIMEOUT_MS,
    otherwise: 'no worker opened the gateway',
  });
}

async function readState(): Promise<{ status: string }> {
  const { state } = await callApi<{ state: { status: string } }>(service.stack, 'GET', '/v1/gateways/kannel');
  return state;
}

function replies(): Promise<object[]> {
  return service.query(
    `SELECT gateway, sender, recipient, content #>> '{text,body}' AS text FROM inbound_message`,
  );
}
