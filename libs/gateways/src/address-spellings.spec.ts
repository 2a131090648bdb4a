import http from 'node:http';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Listener, listen } from '../test/listen.ts';
import { checkEndpointAddress } from './address-guard.ts';
import { WebhookClient } from './webhook-client.ts';

type Bytes = number[];

const LOOPBACK = [127, 0, 0, 1];

const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
const ownV4 = own
  .filter(({ family }) => family === 'IPv4')
  .map(({ address }) => address.split('.').map(Number));
const ownV6 = own.filter(({ family }) => family === 'IPv6').map(({ address }) => address.replace(/%.*/, ''));

const guard = {
  allowPrivate: false,
  lookup: () => Promise.reject(new Error('a literal is not looked up')),
};

/** Server on every address of this machine: loopback, public, link-local. */
let canary: Listener;
let client: WebhookClient;

beforeAll(async () => {
  canary = await listen(
    http.createServer((_, response) => response.end()),
    '::',
  );
  client = new WebhookClient({ ...guard, connectionsPerOrigin: 1, totalTimeoutMs: 5_000 });
});
afterAll(async () => {
  await client.close();
  await canary[Symbol.asyncDispose]();
});

const byte = fc.integer({ min: 0, max: 255 });
const within = (...head: number[]): fc.Arbitrary<Bytes> =>
  fc
    .array(byte, { minLength: 4 - head.length, maxLength: 4 - head.length })
    .map((rest) => [...head, ...rest]);

/** Forbidden addresses, those of this machine with a higher weight. */
const forbidden: fc.Arbitrary<Bytes> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ownV4, LOOPBACK, [0, 0, 0, 0]) },
  within(127),
  within(10),
  within(192, 168),
  fc.integer({ min: 16, max: 31 }).chain((second) => within(172, second)),
  fc.integer({ min: 64, max: 127 }).chain((second) => within(100, second)),
  within(169, 254),
  fc.constantFrom<Bytes[]>([169, 254, 169, 254], [168, 63, 129, 16], [100, 100, 100, 200]),
  fc.integer({ min: 224, max: 255 }).chain((first) => within(first)),
);

const number = (value: number, base: string, zeros: number): string => {
  if (base === 'decimal') return String(value);
  return base === 'octal'
    ? `0${'0'.repeat(zeros)}${value.toString(8)}`
    : `${base}${'0'.repeat(zeros)}${value.toString(16)}`;
};

/** Writes four bytes as one to four numbers, each in its own base: 127.1, 0x7f000001, 0177.0.0x01. */
function inParts(bytes: Bytes, parts: number, bases: string[], zeros: number): string {
  const heads = bytes.slice(0, parts - 1);
  const tail = bytes.slice(parts - 1).reduce((whole, each) => whole * 256 + each, 0);
  return [...heads, tail].map((value, i) => number(value, bases[i]!, zeros)).join('.');
}

/** Other spellings of digits and dots that IDNA maps to the plain ones. */
const DIGIT_SETS = [0xff10, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x2080].map(
  (zero) => (digit: string) => String.fromCodePoint(zero + Number(digit)),
);
const circled = (digit: string) => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit)));
const percent = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
const DISGUISES: ((text: string) => string)[] = [
  (text) => text,
  (text) => `${text}.`,
  (text) => text.toUpperCase().replaceAll('0X', '0x'),
  (text) => text.replaceAll('.', '。'),
  (text) => text.replaceAll('.', '．').replace(/\d$/, circled),
  (text) => text.replaceAll('.', '｡'),
  (text) => text.replaceAll(/[\d.]/g, percent),
  (text) => text.replaceAll('x', 'ｘ'),
  (text) => `\u00ad${text}`, // IDNA drops the soft hyphen
  (text) => text.replaceAll(/\d/g, circled),
  ...DIGIT_SETS.map((disguise) => (text: string) => text.replaceAll(/\d/g, disguise)),
];

const base = fc.constantFrom('decimal', 'octal', '0x', '0X');
const v4Spelling = fc
  .tuple(
    forbidden,
    fc.integer({ min: 1, max: 4 }),
    fc.array(base, { minLength: 4, maxLength: 4 }),
    fc.nat(3),
    fc.constantFrom(...DISGUISES),
  )
  .map(([bytes, parts, bases, zeros, disguise]) => disguise(inParts(bytes, parts, bases, zeros)));

const hex = (value: number) => value.toString(16);
const groups = ([a, b, c, d]: Bytes) => `${hex(a! * 256 + b!)}:${hex(c! * 256 + d!)}`;
const inverted = (bytes: Bytes) => bytes.map((each) => 255 - each);
const group = fc.integer({ min: 0, max: 0xffff }).map(hex);

/** IPv4 addresses embedded in IPv6 addresses: mapped, compatible, translated, 6to4, Teredo. */
const EMBEDDED: ((bytes: Bytes, rest: string) => string)[] = [
  (bytes) => `::ffff:${bytes.join('.')}`,
  (bytes) => `::FFFF:${groups(bytes)}`,
  (bytes) => `0000:0:0:0:0:ffff:${groups(bytes)}`,
  (bytes) => `::${bytes.join('.')}`,
  (bytes) => `::ffff:0:${bytes.join('.')}`,
  (bytes) => `64:ff9b::${bytes.join('.')}`,
  (bytes) => `64:ff9b:1:${groups(bytes)}::`,
  (bytes, rest) => `2002:${groups(bytes)}::${rest}`,
  (bytes, rest) => `2001:0:${rest}:${rest}:8000:${rest}:${groups(inverted(bytes))}`,
  (bytes) => `fe80::5efe:${bytes.join('.')}`,
];

const v6Spelling = fc
  .oneof(
    fc
      .tuple(forbidden, group, fc.constantFrom(...EMBEDDED))
      .map(([bytes, rest, embed]) => embed(bytes, rest)),
    fc.constantFrom(
      ...ownV6,
      '::1',
      '::',
      '0:0:0:0:0:0:0:1',
      '0000::0001',
      'fd00:ec2::254',
      'fe80::1',
      'ff02::1',
    ),
    fc
      .tuple(
        fc.constantFrom('fc', 'fd', 'fe8', 'feb', 'fec', 'ff0', '100::', '5f00:', '2001:db8:', '3fff:'),
        group,
      )
      .map(([head, tail]) =>
        head.includes(':')
          ? `${head}${head.endsWith('::') ? '' : ':'}${tail}`
          : `${head.padEnd(4, '0')}::${tail}`,
      ),
  )
  .chain((text) => fc.constantFrom(`[${text}]`, `[${text.toUpperCase()}]`));

test('none of 10,000 spellings of forbidden addresses is dialled or saved', async () => {
  const seen = { forbidden: 0, noUrl: 0 };
  const check = fc.asyncProperty(fc.oneof({ weight: 2, arbitrary: v4Spelling }, v6Spelling), async (host) => {
    const url = `http://${host}:${canary.port}/`;
    const { status, error } = await client.send({ method: 'POST', url, headers: {}, body: '{}' });
    expect([host, status, ['endpoint_forbidden', 'invalid_call'].includes(error ?? '')]).toEqual([
      host,
      null,
      true,
    ]);
    seen[error === 'endpoint_forbidden' ? 'forbidden' : 'noUrl'] += 1;
    const parsed = URL.parse(url);
    if (parsed)
      expect([host, await checkEndpointAddress(parsed, guard)]).toEqual([host, 'endpoint_forbidden']);
  });

  await fc.assert(check, { numRuns: 10_000 });

  expect(canary.connects()).toBe(0);
  expect(seen.forbidden).toBeGreaterThan(9_000); // most spellings are valid addresses
});

test('the same spellings reach this machine if private networks are permitted', async () => {
  const permissive = new WebhookClient({
    allowPrivate: true,
    connectionsPerOrigin: 1,
    totalTimeoutMs: 5_000,
  });
  const reaches = async (host: string): Promise<boolean> =>
    (await permissive.send({ method: 'GET', url: `http://${host}:${canary.port}/`, headers: {} })).ok;
  const plain = [1, 2, 3, 4].flatMap((parts) =>
    ['decimal', 'octal', '0x'].map((each) => inParts(LOOPBACK, parts, Array(4).fill(each), 1)),
  );

  for (const disguise of DISGUISES)
    expect((await Promise.all(plain.map((text) => reaches(disguise(text))))).some(Boolean)).toBe(true);
  for (const text of plain) expect([text, await reaches(text)]).toEqual([text, true]);
  const embedded = await Promise.all(EMBEDDED.map((embed) => reaches(`[${embed(LOOPBACK, 'a')}]`)));
  await permissive.close();

  expect(embedded.slice(0, 3)).toEqual([true, true, true]);
  expect(embedded.slice(3)).not.toContain(true);
});

test('the canary accepts connections on every address of this machine', async () => {
  const before = canary.connects();
  const hosts = own.map(({ address, scopeid }) =>
    address.startsWith('fe80') ? `${address.replace(/%.*/, '')}%${scopeid}` : address,
  );

  for (const host of hosts) {
    await new Promise<void>((resolve, reject) => {
      const socket = net.connect(canary.port, host, () => resolve(void socket.destroy())).on('error', reject);
    });
  }

  expect(canary.connects() - before).toBe(hosts.length);
});
