import { Injectable } from '@nestjs/common';
import { LruMap } from '@signalbox/runtime/lru-map';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { networkOf } from '../http/client-network.ts';

const WINDOW_MS = 60_000;

/** Minimum number of networks in memory, and half of the maximum; an attacker with more of them starts over. */
const MIN_NETWORKS = 50_000;

type Refusal = 'api_key_missing' | 'api_key_invalid' | 'session_expired' | 'signature_invalid';

/** Counts the failed authentications of each client network per minute, in this process. */
@Injectable()
export class AuthFailures {
  private readonly counts = new LruMap<string, { failures: number; endsAt: number }>(MIN_NETWORKS);

  constructor(private readonly config: ApiConfig) {}

  /** Counts a failure. @returns its refusal; `rate_limited` once the network has had its share of this minute */
  refusal(address: string, code: Refusal): ApiError {
    const retryAfterSeconds = this.count(address);
    if (retryAfterSeconds === undefined) return new ApiError(code);
    const message = `Too many failed authentications from this address. Requests with a valid key or signature are served; others may try again in ${retryAfterSeconds} s.`;
    return new ApiError('rate_limited', message, { retryAfterSeconds });
  }

  private count(address: string): number | undefined {
    const now = performance.now();
    const network = networkOf(address);
    const known = this.counts.get(network);
    const current = known && known.endsAt > now ? known : { failures: 0, endsAt: now + WINDOW_MS };
    current.failures += 1;
    this.counts.set(network, current);
    return current.failures <= this.config.AUTH_FAILURES_PER_MINUTE
      ? undefined
      : Math.ceil((current.endsAt - now) / 1_000);
  }
}
