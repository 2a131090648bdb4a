import { Injectable } from '@nestjs/common';
import { LruMap } from '@signalbox/runtime/cached-lookup';
import { ApiConfig } from '../config.ts';

const WINDOW_MS = 60_000;

/** Maximum number of addresses in memory; an attacker with more of them starts over. */
const MAX_ADDRESSES = 50_000;

/** Counts the failed authentications of each client address per minute, in this process. */
@Injectable()
export class AuthFailures {
  private readonly counts = new LruMap<string, { failures: number; endsAt: number }>(MAX_ADDRESSES);

  constructor(private readonly config: ApiConfig) {}

  /** Counts a failure. @returns the seconds to wait when the address has had its share of this minute */
  count(address: string): number | undefined {
    const now = Date.now();
    const known = this.counts.get(address);
    const current = known && known.endsAt > now ? known : { failures: 0, endsAt: now + WINDOW_MS };
    current.failures += 1;
    this.counts.set(address, current);
    return current.failures <= this.config.AUTH_FAILURES_PER_MINUTE
      ? undefined
      : Math.ceil((current.endsAt - now) / 1_000);
  }
}
