import type { Clock } from '../src/smpp/clock.ts';

/** A clock on which everything takes a fraction of its time. */
export function hurriedClock(times: number): Clock {
  return {
    now: () => performance.now() * times,
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs / times);
      return () => clearTimeout(timer);
    },
  };
}
