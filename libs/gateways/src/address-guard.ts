import { isIP } from 'node:net';
import {
  blockList,
  hostOf,
  isLocalName,
  isLoopbackName,
  isPublicAddress,
} from '@signalbox/domain/links/public-host';
import { OwnAddresses } from './own-addresses.ts';

/** An address of a name. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses; rejects if it has none. Concurrent lookups may be limited per account. */
export type Lookup = (hostname: string, accountId?: string) => Promise<ResolvedAddress[]>;

const SAVE_LOOKUP_MS = 2000;

const PRIVATE = ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'];

/** Addresses in private space where AWS, Google and Oracle serve credentials over IPv6. */
const METADATA = ['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128'];

const privateNetworks = blockList(PRIVATE);
const metadata = blockList(METADATA);
const ownAddresses = new OwnAddresses();

/**
 * Is true for addresses that no webhook may call: everything but public unicast, and this machine's own. Text
 * that is not an address is forbidden.
 *
 * @param allowPrivate permits loopback, private networks and this machine; the addresses where clouds serve their
 *   credentials, link-local or private, stay forbidden
 */
export function isForbiddenAddress(ip: string, allowPrivate: boolean): boolean {
  const version = isIP(ip);
  if (version === 0) return true;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (metadata.check(ip, family)) return true;
  if (allowPrivate) return !privateNetworks.check(ip, family) && !isPublicAddress(ip);
  return !isPublicAddress(ip) || ownAddresses.has(ip, family);
}

/**
 * Refuses an endpoint whose host is forbidden now, so that saving it fails and not only its calls. Accepts a name that
 * does not resolve within two seconds: every dial checks the address again, and that check decides.
 */
export async function checkEndpointAddress(
  url: URL,
  { allowPrivate, lookup }: { allowPrivate: boolean; lookup: Lookup },
  accountId?: string,
): Promise<'endpoint_forbidden' | undefined> {
  if (isForbiddenHost(url, allowPrivate)) return 'endpoint_forbidden';
  const host = hostOf(url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await resolveWithin(SAVE_LOOKUP_MS, lookup(host, accountId));
  return addresses.some((address) => isForbiddenAddress(address, allowPrivate))
    ? 'endpoint_forbidden'
    : undefined;
}

/** True if the host is, as written, a forbidden address or name. Names are not resolved. */
export function isForbiddenHost(url: URL, allowPrivate: boolean): boolean {
  const host = hostOf(url);
  if (isIP(host) !== 0) return isForbiddenAddress(host, allowPrivate);
  return isLocalName(host) || (!allowPrivate && isLoopbackName(host));
}

async function resolveWithin(limitMs: number, answer: Promise<ResolvedAddress[]>): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ResolvedAddress[]>((resolve) => {
    timer = setTimeout(resolve, limitMs, []);
  });
  const addresses = await Promise.race([answer.catch(() => []), late]);
  clearTimeout(timer);
  return addresses.map(({ address }) => address);
}
