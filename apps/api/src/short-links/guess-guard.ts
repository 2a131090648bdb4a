import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from '../http/client-network.ts';

/**
 * Maximum unknown codes per network and minute. Mistyped links are rare, even behind the shared address of a
 * town.
 */
const MAX_MISSES = 300;
const WINDOW_SECONDS = 60;

/**
 * Limits networks that guess codes. Each process counts alone: codes are too long to be guessed at any rate.
 */
export class GuessGuard {
  private readonly misses = new RateLimiterMemory({ points: MAX_MISSES, duration: WINDOW_SECONDS });

  /** Seconds that an address must wait; 0 when it may ask. */
  async secondsToWait(address: string): Promise<number> {
    const counted = await this.misses.get(networkOf(address));
    return counted !== null && counted.consumedPoints >= MAX_MISSES
      ? Math.ceil(counted.msBeforeNext / 1000)
      : 0;
  }

  async countMiss(address: string): Promise<void> {
    await this.misses.consume(networkOf(address)).catch(() => undefined); // over the limit, and counted
  }
}
