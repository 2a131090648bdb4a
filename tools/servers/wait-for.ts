import { setTimeout as delay } from 'node:timers/promises';

/** Exceeds every expected wait on a slow machine, so that only a condition that never comes about fails. */
const PATIENCE_MS = 120_000;

export interface WaitOptions {
  /** 120,000 by default. */
  timeoutMs?: number;
  /** Text of the error, as `postgres did not answer`, or a function that returns it; by default the source of `ask`. */
  otherwise?: string | (() => string);
  signal?: AbortSignal | undefined;
}

const FIRST_DELAY_MS = 1;
/** Most milliseconds between two questions in the first quarter of a second. */
const SHORT_DELAY_MS = 25;
/** Share of the time waited so far that may pass until the next question, and the most milliseconds. */
const LATER_SHARE = 0.1;
const LATER_DELAY_MS = 250;

/**
 * Asks until the answer is true: every 25 ms after the first few times, and less often the longer it waits, up to every
 * 250 ms. A question may cost a process or a connection, and many tests wait for a minute.
 *
 * @throws Error with `otherwise` after `timeoutMs`; whatever `ask` throws; AbortError when the signal says so
 */
export async function waitFor(
  ask: () => boolean | Promise<boolean>,
  options: WaitOptions = {},
): Promise<void> {
  const { timeoutMs = PATIENCE_MS, otherwise = `still false: ${ask}`, signal } = options;
  const startedAt = performance.now();
  for (let firstMs = FIRST_DELAY_MS; !(await ask()); firstMs = Math.min(firstMs * 2, SHORT_DELAY_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) {
      const text = typeof otherwise === 'string' ? otherwise : otherwise();
      throw new Error(`${text} within ${timeoutMs / 1000} s`);
    }
    const laterMs = Math.min(waitedMs * LATER_SHARE, LATER_DELAY_MS);
    await delay(Math.max(firstMs, laterMs), undefined, { signal });
  }
}
