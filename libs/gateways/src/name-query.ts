import { Resolver } from 'node:dns/promises';
import type { ResolvedAddress } from './address-guard.ts';

/** Addresses of a name, and their TTL. */
export interface NameAnswer {
  addresses: ResolvedAddress[];
  ttlMs: number;
}

/**
 * Thrown for a name without addresses, or without an answer. `code` is that of Node's DNS error; `ETIMEOUT` after the
 * limit.
 */
export class NameError extends Error {
  override name = 'NameError';

  constructor(
    hostname: string,
    readonly code: string,
    /** True when a name server answered that there is no address; false when no usable answer arrived. */
    readonly isFinal: boolean,
  ) {
    super(`${code} ${hostname}`);
  }
}

const FIRST_TRY_MS = 500;
const TRIES = 3;
/**
 * Timeout of the second address family, counted from the answer for the first: some name servers never answer for IPv6.
 */
const SECOND_FAMILY_MS = 500;
const MAX_ADDRESSES = 64;
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * One query for the IPv4 and IPv6 addresses of a name. Its own sockets let it be cancelled alone, and occupy no thread.
 */
export class NameQuery {
  private readonly resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  private deadline: NodeJS.Timeout | undefined;

  /** @param servers name servers in the notation of `setServers`; by default those of the system */
  constructor(
    private readonly hostname: string,
    servers?: readonly string[],
  ) {
    if (servers) this.resolver.setServers(servers);
  }

  /** @throws NameError, also for more than MAX_ADDRESSES addresses */
  async run(limitMs: number): Promise<NameAnswer> {
    this.cancelAfter(limitMs);
    const families = await Promise.allSettled([this.ask(4), this.ask(6)]);
    clearTimeout(this.deadline);
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (answers.length === 0) throw this.errorOf(families);
    if (answers.length > MAX_ADDRESSES) throw new NameError(this.hostname, 'EBADRESP', false);
    return {
      addresses: answers.map(({ address, family }) => ({ address, family })),
      ttlMs: Math.min(...answers.map(({ ttl }) => ttl)) * 1000,
    };
  }

  /** Ends the query: `run` rejects. */
  cancel(): void {
    this.resolver.cancel();
  }

  private async ask(family: 4 | 6): Promise<(ResolvedAddress & { ttl: number })[]> {
    const records =
      family === 4
        ? await this.resolver.resolve4(this.hostname, { ttl: true })
        : await this.resolver.resolve6(this.hostname, { ttl: true });
    this.cancelAfter(SECOND_FAMILY_MS);
    return records.map(({ address, ttl }) => ({ address, family, ttl }));
  }

  private cancelAfter(delayMs: number): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.cancel(), delayMs);
  }

  /** Returns the least final error: a family without an answer may still have addresses. */
  private errorOf(families: PromiseSettledResult<unknown>[]): NameError {
    const codes = families.flatMap((family) =>
      family.status === 'rejected' ? [(family.reason as NodeJS.ErrnoException).code ?? 'EUNKNOWN'] : [],
    );
    const open = codes.find((code) => !NO_ADDRESS.has(code));
    if (open) return new NameError(this.hostname, open === 'ECANCELLED' ? 'ETIMEOUT' : open, false);
    return new NameError(this.hostname, codes[0] ?? 'ENODATA', true);
  }
}
