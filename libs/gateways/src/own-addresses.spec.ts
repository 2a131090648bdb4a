import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { OwnAddresses } from './own-addresses.ts';

const one = (address: string, family: 'IPv4' | 'IPv6') => ({
  address,
  family,
  netmask: '',
  mac: '',
  internal: false,
  cidr: null,
  scopeid: 0,
});

test('public addresses of this machine match in any spelling, and their neighbours do not', () => {
  const own = new OwnAddresses(() => ({
    eth0: [one('198.41.0.4', 'IPv4'), one('2606:4700::1111', 'IPv6')],
    gone: undefined,
  }));

  expect([own.has('198.41.0.4', 'ipv4'), own.has('198.41.0.5', 'ipv4')]).toEqual([true, false]);
  expect([own.has('2606:4700:0:0::1111', 'ipv6'), own.has('2606:4700::1112', 'ipv6')]).toEqual([true, false]);
  expect(own.has('::ffff:198.41.0.4', 'ipv6')).toBe(true);
});

test('every address of this machine matches', () => {
  const own = new OwnAddresses();
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const strange = addresses.filter(
    ({ address, family }) => !own.has(address, family === 'IPv4' ? 'ipv4' : 'ipv6'),
  );
  expect(addresses).not.toEqual([]);
  expect(strange).toEqual([]);
});
