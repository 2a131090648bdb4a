import { BlockList, isIP } from 'node:net';

/** IPv4 ranges that are not public unicast: IANA's special-purpose registry, multicast and reserved. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32', // Azure's own services, in public space
];

/** Special ranges of 2000::/3, the only public unicast in IPv6. Tunnels can hide an IPv4 address. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const special = blockList([...SPECIAL_V4, ...SPECIAL_V6]);
const publicV6 = blockList(['2000::/3']);

/** True for public unicast addresses; false for all others, and for text that is no address. */
export function isPublicAddress(ip: string): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return !special.check(ip, family) && (version === 4 || publicV6.check(ip, family));
}

/** Checks a host as written: no special address, no name that is never public. Resolves nothing. */
export function isPublicHost(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? !isLoopbackName(host) && !isLocalName(host) : isPublicAddress(host);
}

/** The host of a URL without the brackets of an IPv6 address and without a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** True for the names of this machine: `localhost` and all below it. */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/.test(host);
}

/** True for names of a local network, which are never public. */
export function isLocalName(host: string): boolean {
  return /(^|\.)(local|internal)$/.test(host);
}

/** Builds a list of networks in CIDR notation. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
