import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkEndPointAddress, type Lookup } from './address-guard.ts';
import { listenHttp } from '../test/listen.ts';
import { WebhookClient } from './webhook-client.ts';

/** A listener on loopback that must not be reached, and a client that may not call it. */
async function setup(lookup?: Lookup) {
  const canary = await listenHttp((_, response) => response.end());
  const client = new WebhookClient({ allowPrivate: false, connectionsPerOrigin: 4, totalTimeoutMs: 2_000, ...(lookup && { lookup }) });
  return {
    canary,
    client,
    send: (host: string) => client.send({ method: 'POST', url: `http://${host}:${canary.port}/`, headers: {}, body: '{}' }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await canary[Symbol.asyncDispose]();
    },
  };
}

const addresses = (...list: string[]) => list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const byte = fc.integer({ min: 0, max: 255 });

/** Addresses of this machine and its networks, as their four bytes. */
const localBytes = fc.oneof(
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
);

type Bytes = [number, number, number, number];
const whole = ([a, b, c, d]: Bytes) => ((a * 256 + b) * 256 + c) * 256 + d;
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const groups = ([a, b, c, d]: Bytes) => `${hex(a * 256 + b, 1)}:${hex(c * 256 + d, 1)}`;
const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Ways to write an IPv4 address in a URL. */
const SPELLINGS: Record<string, (bytes: Bytes) => string> = {
  plain: (bytes) => bytes.join('.'),
  'with a final dot': (bytes) => `${bytes.join('.')}.`,
  decimal: (bytes) => String(whole(bytes)),
  hex: (bytes) => `0x${hex(whole(bytes), 8)}`,
  octal: (bytes) => `0${whole(bytes).toString(8)}`,
  'octal bytes': (bytes) => bytes.map((value) => `0${value.toString(8)}`).join('.'),
  'hex bytes': (bytes) => bytes.map((value) => `0X${hex(value, 2)}`).join('.'),
  'two parts': ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  'three parts': ([a, b, c, d]) => `${a}.0x${hex(b, 1)}.${c * 256 + d}`,
  'percent-encoded': (bytes) => bytes.join('%2e').replace('1', '%31'),
  'full-width digits': (bytes) => wide(bytes.join('.')),
  'full-width dots': (bytes) => bytes.join('。'),
  mapped: (bytes) => `[::ffff:${bytes.join('.')}]`,
  'mapped in hex': (bytes) => `[0:0:0:0:0:FFFF:${groups(bytes)}]`,
  compatible: (bytes) => `[::${bytes.join('.')}]`,
  translated: (bytes) => `[64:ff9b::${groups(bytes)}]`,
  '6to4': (bytes) => `[2002:${groups(bytes)}::1]`,
};

test.each(Object.entries(SPELLINGS))('no local address is dialled, spelled %s', async (_, spell) => {
  await using t = await setup(() => Promise.reject(new Error('a literal is not looked up')));
  const check = fc.asyncProperty(localBytes, async (bytes) => {
    expect(await t.send(spell(bytes))).toMatchObject({ ok: false, status: null, error: 'endpoint_forbidden' });
    expect(await checkEndPointAddress(new URL(`http://${spell(bytes)}/`), { allowPrivate: false })).toBe('endpoint_forbidden');
  });
  await fc.assert(check, { numRuns: 30, examples: [[[127, 0, 0, 1]]] });
  expect(t.canary.connects()).toBe(0);
});

test('the same spellings do reach this machine when private networks are permitted', async () => {
  await using canary = await listenHttp((_, response) => response.end());
  await using client = Object.assign(new WebhookClient({ allowPrivate: true, connectionsPerOrigin: 1, totalTimeoutMs: 2_000 }), {
    [Symbol.asyncDispose]: () => client.close(),
  });
  const reached: string[] = [];
  for (const [name, spell] of Object.entries(SPELLINGS)) {
    const { ok } = await client.send({ method: 'GET', url: `http://${spell([127, 0, 0, 1])}:${canary.port}/`, headers: {} });
    if (ok) reached.push(name);
  }
  expect(Object.keys(SPELLINGS).filter((name) => !reached.includes(name))).toEqual(['compatible', 'translated', '6to4']);
});

test.each(['127.0.0.1', '::1', '169.254.169.254', '100.64.0.1'])('a name that resolves to %s is not dialled', async (address) => {
  await using t = await setup(async () => addresses(address));
  expect(await t.send('example.com')).toMatchObject({ status: null, error: 'endpoint_forbidden' });
  expect(t.canary.connects()).toBe(0);
});

test('one forbidden address among public ones forbids the name', async () => {
  await using t = await setup(async () => addresses('2606:4700::1111', '1.1.1.1', '127.0.0.1'));
  expect(await t.send('example.com')).toMatchObject({ error: 'endpoint_forbidden' });
  expect(t.canary.connects()).toBe(0);
});

test('a name that is public when saved and local when dialled is not dialled', async () => {
  const answers = [addresses('1.1.1.1'), addresses('127.0.0.1')];
  const rebind: Lookup = async () => answers.shift() ?? addresses('127.0.0.1');
  await using t = await setup(rebind);
  expect(await checkEndPointAddress(new URL('http://example.com/'), { allowPrivate: false, lookup: rebind })).toBeUndefined();
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
  expect(await client.send({ method: 'GET', url: `http://example.com:${canary.port}/`, headers: {} })).toMatchObject({ ok: true });
  await client.close();
  expect([lookups, canary.connects()]).toEqual([1, 1]);
});
