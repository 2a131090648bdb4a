import { expect, test } from '@jest/globals';
import { checkEndpointAddress, type Lookup } from './address-guard.ts';
import { listenHttp } from '../test/listen.ts';
import { listenDns } from '../test/name-server.ts';
import { EndpointResolver } from './endpoint-resolver.ts';
import { WebhookClient } from './webhook-client.ts';

/** A listener on loopback that must not be reached, and a client that may not call it. */
async function setup(lookup?: Lookup) {
  const canary = await listenHttp((_, response) => response.end());
  const client = new WebhookClient({
    allowPrivate: false,
    connectionsPerOrigin: 4,
    totalTimeoutMs: 2_000,
    ...(lookup && { lookup }),
  });
  return {
    canary,
    client,
    send: (host: string) =>
      client.send({ method: 'POST', url: `http://${host}:${canary.port}/`, headers: {}, body: '{}' }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await canary[Symbol.asyncDispose]();
    },
  };
}

const addresses = (...list: string[]) =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test.each(['127.0.0.1', '::1', '169.254.169.254', '100.64.0.1'])(
  'a name that resolves to %s is not dialled',
  async (address) => {
    await using t = await setup(async () => addresses(address));
    expect(await t.send('example.com')).toMatchObject({ status: null, error: 'endpoint_forbidden' });
    expect(t.canary.connects()).toBe(0);
  },
);

test('one forbidden address among public ones forbids the name', async () => {
  await using t = await setup(async () => addresses('2606:4700::1111', '1.1.1.1', '127.0.0.1'));
  expect(await t.send('example.com')).toMatchObject({ error: 'endpoint_forbidden' });
  expect(t.canary.connects()).toBe(0);
});

test('a name that is public when saved and local when dialled is not dialled', async () => {
  const answers = [addresses('1.1.1.1'), addresses('127.0.0.1')];
  const rebind: Lookup = async () => answers.shift() ?? addresses('127.0.0.1');
  await using t = await setup(rebind);
  expect(
    await checkEndpointAddress(new URL('http://example.com/'), { allowPrivate: false, lookup: rebind }),
  ).toBeUndefined();
  expect(await t.send('example.com')).toMatchObject({ error: 'endpoint_forbidden' });
  expect(t.canary.connects()).toBe(0);
});

test('the addresses that were checked are the ones dialled: a name is looked up once per dial', async () => {
  let lookups = 0;
  await using canary = await listenHttp((_, response) => response.end());
  const lookup: Lookup = async () => {
    lookups += 1;
    return addresses('127.0.0.1');
  };
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin: 1, lookup });
  expect(
    await client.send({ method: 'GET', url: `http://example.com:${canary.port}/`, headers: {} }),
  ).toMatchObject({ ok: true });
  await client.close();
  expect([lookups, canary.connects()]).toEqual([1, 1]);
});

test('calls to names without an answer do not delay those of another account', async () => {
  await using server = await listenHttp((_, response) => response.end());
  await using names = await listenDns((name) =>
    name === 'b.example' ? { addresses: ['127.0.0.1'] } : 'silent',
  );
  const resolver = new EndpointResolver({ allowPrivate: true, servers: [names.address], limitMs: 3_000 });
  const client = new WebhookClient({
    allowPrivate: true,
    connectionsPerOrigin: 1,
    connectTimeoutMs: 6_000,
    lookup: resolver.lookup,
  });
  const get = (accountId: string, host: string) =>
    client.send({
      method: 'GET',
      url: `http://${host}/`,
      headers: {},
      owner: { accountId, webhookId: host },
    });
  let ended = 0;
  const lost = Array.from({ length: 50 }, (_, i) =>
    get('a', `n${i}.example`).finally(() => void (ended += 1)),
  );
  await names.asked('n7.example', 1);

  const { ok } = await get('b', `b.example:${server.port}`);

  expect(ok).toBe(true);
  expect(ended).toBe(0);
  expect(new Set((await Promise.all(lost)).map(({ error }) => error))).toEqual(new Set(['timeout']));
  await client.close();
});
