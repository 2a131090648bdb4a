import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { OwnAddresses } from './own-addresses.ts';

/** One address that a name resolved to. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses; rejects when it has none. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** The system's own resolver, the hosts file included. */
export const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true });

const SAVE_LOOKUP_MS = 2000;

/** Everything in IPv4 that is no public unicast: the IANA special-purpose registry, multicast, reserved space, a cloud's host. */
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

/** What is special within 2000::/3, the only IPv6 space given out as public unicast; tunnels hide an IPv4 address. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const PRIVATE = ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'];

const special = blockList([...SPECIAL_V4, ...SPECIAL_V6]);
const publicV6 = blockList(['2000::/3']);
const privateNetworks = blockList(PRIVATE);
const ownAddresses = new OwnAddresses();

/**
 * Whether an address is one that no webhook may be sent to: all but public unicast, and this machine (decisions, Webhooks). `allowPrivate`
 * permits loopback, private networks and this machine; link-local addresses, where clouds keep their credentials, stay forbidden. What
 * is no address is forbidden.
 */
export function isForbiddenAddress(ip: string, allowPrivate: boolean): boolean {
  const version = isIP(ip);
  if (version === 0) return true;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (allowPrivate && privateNetworks.check(ip, family)) return false;
  if (special.check(ip, family) || (version === 6 && !publicV6.check(ip, family))) return true;
  return !allowPrivate && ownAddresses.has(ip, family);
}

/**
 * Whether an end point is forbidden by what its host is now, so that a person hears of it when saving. A name that does not resolve
 * within two seconds is accepted: the address is checked again at every dial, and that check is the one that counts.
 */
export async function checkEndpointAddress(
  url: URL,
  options: { allowPrivate: boolean; lookup?: Lookup },
): Promise<'endpoint_forbidden' | undefined> {
  if (isForbiddenHost(url, options.allowPrivate)) return 'endpoint_forbidden';
  const host = hostOf(url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await resolveWithin(SAVE_LOOKUP_MS, host, options.lookup ?? systemLookup);
  return addresses.some((address) => isForbiddenAddress(address, options.allowPrivate))
    ? 'endpoint_forbidden'
    : undefined;
}

/** Whether a host is forbidden by how it is written: an address as above, or a name that is never public. Nothing is looked up. */
export function isForbiddenHost(url: URL, allowPrivate: boolean): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? isLocalName(host, allowPrivate) : isForbiddenAddress(host, allowPrivate);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Names that by their meaning are never public. */
function isLocalName(host: string, allowPrivate: boolean): boolean {
  if (/(^|\.)localhost$/.test(host)) return !allowPrivate;
  return /(^|\.)(local|internal)$/.test(host);
}

async function resolveWithin(limitMs: number, host: string, resolve: Lookup): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ResolvedAddress[]>((answer) => {
    timer = setTimeout(answer, limitMs, []);
  });
  const addresses = await Promise.race([resolve(host).catch(() => []), late]);
  clearTimeout(timer);
  return addresses.map(({ address }) => address);
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
