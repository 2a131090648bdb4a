/** Time, as a session and a link see it; a test sets it. */
export interface Clock {
  /** Milliseconds of a clock that never steps. */
  now(): number;
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void;
}

/** Names the time of day after a delay, as `14:05:12 UTC`: a state is read long after it was written. */
export function timeAfter(delayMs: number): string {
  return `${new Date(Date.now() + delayMs).toISOString().slice(11, 19)} UTC`;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
