import { isLoopbackName } from '@signalbox/domain/links/public-host';
import type { Lookup, ResolvedAddress } from './address-guard.ts';
import { HostsFile } from './hosts-file.ts';
import { type NameAnswer, NameError, NameQuery } from './name-query.ts';

export interface EndpointResolverOptions {
  /** Resolves names of the hosts file too, which lead to private addresses. */
  allowPrivate: boolean;
  /** Name servers in the notation of `dns.setServers`; by default those of the system. */
  servers?: readonly string[];
  hostsPath?: string;
  /** Timeout of one lookup, including its wait for a slot. */
  limitMs?: number;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
}

/** Maximum concurrent lookups of one account. Those of other accounts never wait for them. */
const PER_ACCOUNT = 8;
const LIMIT_MS = 3_000;
const MAX_NAMES = 10_000;

const MIN_TTL_MS = 5_000;
const MAX_TTL_MS = 300_000;
const NO_ADDRESS_TTL_MS = 5_000;
const FAILURE_TTL_MS = 1_000;

const LOOPBACK: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

interface KnownName {
  outcome: ResolvedAddress[] | NameError;
  until: number;
}

interface Waiting {
  name: string;
  until: number;
  resolve: (addresses: ResolvedAddress[] | Promise<ResolvedAddress[]>) => void;
  reject: (error: NameError) => void;
}

/** Lookups of an account: the number in flight, and those that wait for a slot, in order. */
interface Share {
  underWay: number;
  waiting: Waiting[];
}

/**
 * Resolves the names of endpoints, which any account may choose and whose name servers may never answer. It avoids
 * `dns.lookup`, which cannot be cancelled and would occupy the few threads that connections to Postgres and Redis need
 * too. Answers are cached for their TTL, at least 5 seconds and at most 5 minutes, and failures for a few seconds.
 * Callers of one name share a lookup.
 */
export class EndpointResolver {
  readonly allowPrivate: boolean;
  private readonly known = new Map<string, KnownName>();
  private readonly underWay = new Map<string, Promise<ResolvedAddress[]>>();
  private readonly queries = new Set<NameQuery>();
  private readonly shares = new Map<string, Share>();
  private readonly hosts: HostsFile | undefined;
  private readonly limitMs: number;
  private readonly now: () => number;
  private closed = false;

  constructor(private readonly options: EndpointResolverOptions) {
    const { allowPrivate, hostsPath = '/etc/hosts', limitMs = LIMIT_MS } = options;
    this.allowPrivate = allowPrivate;
    this.hosts = allowPrivate ? new HostsFile(hostsPath) : undefined;
    this.limitMs = limitMs;
    this.now = options.now ?? (() => performance.now());
  }

  /** Resolves a name to all its addresses, IPv4 first. @throws NameError */
  readonly lookup: Lookup = async (hostname, accountId = '') => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const listed = this.hosts?.addressesOf(name) ?? [];
    if (listed.length > 0) return listed;
    if (isLoopbackName(name)) return LOOPBACK;
    return this.recall(name) ?? this.lookUp(name, accountId);
  };

  /** Cancels all lookups, so that the process can end. */
  close(): void {
    this.closed = true;
    for (const query of this.queries) query.cancel();
  }

  /** Returns the cached or pending answer; undefined when there is none. */
  private recall(name: string): ResolvedAddress[] | Promise<ResolvedAddress[]> | undefined {
    const known = this.known.get(name);
    if (!known || known.until <= this.now()) return this.underWay.get(name);
    return known.outcome instanceof NameError ? Promise.reject(known.outcome) : known.outcome;
  }

  private lookUp(name: string, accountId: string): Promise<ResolvedAddress[]> {
    const share = this.shares.get(accountId) ?? { underWay: 0, waiting: [] };
    this.shares.set(accountId, share);
    if (share.underWay < PER_ACCOUNT) return this.start(name, accountId, share);
    return new Promise((resolve, reject) => {
      share.waiting.push({ name, until: this.now() + this.limitMs, resolve, reject });
    });
  }

  private start(name: string, accountId: string, share: Share): Promise<ResolvedAddress[]> {
    share.underWay += 1;
    const addresses = this.query(name).finally(() => {
      this.underWay.delete(name);
      share.underWay -= 1;
      this.serve(accountId, share);
    });
    this.underWay.set(name, addresses);
    return addresses;
  }

  /** Starts waiting lookups while slots are free. A name that was resolved meanwhile needs none. */
  private serve(accountId: string, share: Share): void {
    while (share.underWay < PER_ACCOUNT) {
      const next = share.waiting.shift();
      if (!next) break;
      const { name, until, resolve, reject } = next;
      if (this.closed || until <= this.now()) reject(new NameError(name, 'ETIMEOUT', false));
      else resolve(this.recall(name) ?? this.start(name, accountId, share));
    }
    if (share.underWay === 0) this.shares.delete(accountId);
  }

  private async query(name: string): Promise<ResolvedAddress[]> {
    const query = new NameQuery(name, this.options.servers);
    this.queries.add(query);
    try {
      const answer = await query.run(this.limitMs);
      this.keep(name, answer.addresses, ttlOf(answer));
      return answer.addresses;
    } catch (error) {
      if (error instanceof NameError)
        this.keep(name, error, error.isFinal ? NO_ADDRESS_TTL_MS : FAILURE_TTL_MS);
      throw error;
    } finally {
      this.queries.delete(query);
    }
  }

  private keep(name: string, outcome: KnownName['outcome'], ttlMs: number): void {
    this.known.delete(name);
    this.known.set(name, { outcome, until: this.now() + ttlMs });
    if (this.known.size <= MAX_NAMES) return;
    const [oldest = name] = this.known.keys();
    this.known.delete(oldest);
  }
}

function ttlOf({ ttlMs }: NameAnswer): number {
  return Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS);
}
