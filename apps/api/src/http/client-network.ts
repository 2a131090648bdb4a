import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that name its network of 64 bits. */
const NETWORK_GROUPS = 4;

/**
 * The network that counts as one client: the /64 of an IPv6 address, all of which one customer holds; an IPv4 address
 * itself. A text that is no address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : (parsed as ipaddr.IPv6).parts.slice(0, NETWORK_GROUPS).join(':');
}
