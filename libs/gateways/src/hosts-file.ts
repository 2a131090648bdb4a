import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ResolvedAddress } from './address-guard.ts';

const FRESH_MS = 10_000;

/** The names of a hosts file, read again after 10 s. A file that cannot be read has none. */
export class HostsFile {
  private names = new Map<string, ResolvedAddress[]>();
  private readAt = -FRESH_MS;

  constructor(private readonly path: string) {}

  /** Lists the addresses of a name; none when the file does not name it. */
  addressesOf(name: string): ResolvedAddress[] {
    const now = performance.now();
    if (now - this.readAt >= FRESH_MS) {
      this.readAt = now;
      this.names = parse(read(this.path));
    }
    return this.names.get(name) ?? [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parse(text: string): Map<string, ResolvedAddress[]> {
  const names = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address, family }]);
    }
  }
  return names;
}
