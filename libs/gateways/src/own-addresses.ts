import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';

const FRESH_MS = 10_000;

/** Addresses of this machine, public ones included, on which its services may listen. */
export class OwnAddresses {
  private list = new BlockList();
  private readAt = -FRESH_MS;

  constructor(private readonly read: typeof networkInterfaces = networkInterfaces) {}

  has(address: string, family: 'ipv4' | 'ipv6'): boolean {
    const now = performance.now();
    if (now - this.readAt >= FRESH_MS) {
      this.readAt = now;
      this.list = this.listed();
    }
    return this.list.check(address, family);
  }

  private listed(): BlockList {
    const list = new BlockList();
    for (const { address, family } of Object.values(this.read()).flatMap((addresses) => addresses ?? [])) {
      list.addAddress(address.replace(/%.*/, ''), family === 'IPv4' ? 'ipv4' : 'ipv6');
    }
    return list;
  }
}
