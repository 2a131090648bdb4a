import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Unknown codes that one address may ask for in a minute. Mistyped links are few, even behind one address of a whole town. */
const MAX_MISSES = 300;
const WINDOW_SECONDS = 60;

/** Notices addresses that try out codes. Each process counts for itself: the codes are too long to be found at any pace. */
export class GuessGuard {
  private readonly misses = new RateLimiterMemory({ points: MAX_MISSES, duration: WINDOW_SECONDS });

  /** How long an address has to wait; 0 when it may ask. */
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

/** Who has one IPv6 address has 2^64 of them. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
