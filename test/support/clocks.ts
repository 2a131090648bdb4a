/** Clocks of this process that a test replaces, each in milliseconds. */
interface Clocks {
  /** `Date.now()`, which follows the clock of the host. */
  date?: () => number;
  /** `performance.now()`, which nobody can set. */
  monotonic?: () => number;
}

/** Replaces clocks of this process until it is disposed of: `using _ = replaceClocks({ date });` */
export function replaceClocks({ date = Date.now, monotonic = performance.now }: Clocks): Disposable {
  const [dateNow, monotonicNow] = [Date.now, performance.now];
  Date.now = date;
  performance.now = monotonic;
  return {
    [Symbol.dispose]: () => {
      Date.now = dateNow;
      performance.now = monotonicNow;
    },
  };
}

/** Blocks the event loop of this process. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Sets the clock of the host forward, or back by negative milliseconds, until it is disposed of.
 *
 * @param passedMs milliseconds that seem to have passed, by the monotonic clock
 */
export function setHostClock(byMs: number, passedMs = 0): Disposable {
  const [date, monotonic] = [Date.now, performance.now.bind(performance)];
  return replaceClocks({ date: () => date() + byMs, monotonic: () => monotonic() + passedMs });
}
