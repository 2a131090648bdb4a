import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { checkEndpointAddress, isForbiddenAddress, type Lookup } from './address-guard.ts';

const PRIVATE = [
  '10.0.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '172.16.5.4',
  '172.31.255.255',
  '192.168.1.1',
  '::1',
  'fc00::1',
  'fd00:ec3::254',
];

const NEVER = [
  '0.0.0.0',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.6',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:1ff::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fec0::1',
  'ff02::1',
];

test.each([...PRIVATE, ...NEVER])('%s is forbidden', (ip) => {
  expect(isForbiddenAddress(ip, false)).toBe(true);
});

test.each(PRIVATE)('%s is permitted where private networks are', (ip) => {
  expect(isForbiddenAddress(ip, true)).toBe(false);
});

test.each(NEVER)('%s is forbidden where private networks are permitted', (ip) => {
  expect(isForbiddenAddress(ip, true)).toBe(true);
});

test.each([
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.128.0.1',
  '169.253.0.1',
  '198.17.0.1',
  '2001:200::1',
  '2606:4700::1111',
  '2a00:1450::1',
])('%s is public', (ip) => {
  expect(isForbiddenAddress(ip, false)).toBe(false);
  expect(isForbiddenAddress(ip, true)).toBe(false);
});

test.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '[::1]', '1.1.1.1 '])(
  '%j is not an address and forbidden',
  (text) => {
    expect(isForbiddenAddress(text, true)).toBe(true);
  },
);

test('every address outside the unicast range of ipaddr.js is forbidden', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc
          .ipV6()
          .map((ip) => `2001:${ip.split(':').slice(1).join(':')}`)
          .filter(ipaddr.isValid),
      ),
      (ip) => {
        if (ipaddr.process(ip).range() !== 'unicast') expect(isForbiddenAddress(ip, false)).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const check = (url: string, lookup: Lookup, allowPrivate = false) =>
  checkEndpointAddress(new URL(url), { allowPrivate, lookup });

test('a name is accepted if all its addresses are public', async () => {
  expect(await check('https://example.com/', resolvesTo('1.1.1.1', '2606:4700::1111'))).toBeUndefined();
  expect(await check('https://example.com/', resolvesTo('1.1.1.1', '::1'))).toBe('endpoint_forbidden');
});

test('a public name of a local address is refused', async () => {
  expect(await check('http://127.0.0.1.nip.io/', resolvesTo('127.0.0.1'))).toBe('endpoint_forbidden');
});

test('an address literal is checked without a lookup', async () => {
  const never: Lookup = () => Promise.reject(new Error('no lookup was due'));
  expect(await check('http://0xa9fea9fe/', never)).toBe('endpoint_forbidden');
  expect(await check('http://[fd00:ec2::254]/', never)).toBe('endpoint_forbidden');
  expect(await check('http://[2606:4700::1111]/', never)).toBeUndefined();
  expect(await check('http://127.0.0.1/', never, true)).toBeUndefined();
  expect(await check('http://169.254.169.254/', never, true)).toBe('endpoint_forbidden');
});

test.each(['localhost', 'LOCALHOST.', 'api.localhost', 'printer.local', 'metadata.google.internal'])(
  'the name %s is refused',
  async (host) => {
    expect(await check(`http://${host}/`, resolvesTo('1.1.1.1'))).toBe('endpoint_forbidden');
  },
);

test('where private networks are permitted, localhost is, and other local names are not', async () => {
  expect(await check('http://localhost:3000/', resolvesTo('127.0.0.1', '::1'), true)).toBeUndefined();
  expect(await check('http://metadata.google.internal/', resolvesTo('1.1.1.1'), true)).toBe(
    'endpoint_forbidden',
  );
});

test('a name that does not resolve in time is accepted until the dial', async () => {
  expect(
    await check('http://new.example.com/', () => Promise.reject(new Error('ENOTFOUND'))),
  ).toBeUndefined();
  expect(await check('http://slow.example.com/', () => new Promise(() => undefined))).toBeUndefined();
});
