import { setTimeout as delay } from 'node:timers/promises';

/** Exceeds every expected wait on a slow machine, so that only a condition that never comes about fails. */
const PATIENCE_MS = 60_000;

export interface WaitOptions {
  /** 60,000 by default. */
  timeoutMs?: number;
  /** Text of the error, as `postgres did not answer`, or a function that returns it; by default the source of `ask`. */
  otherwise?: string | (() => string);
  signal?: AbortSignal | undefined;
}

const FIRST_DELAY_MS = 1;
const MAX_DELAY_MS = 25;

/**
 * Asks until the answer is true, every 25 ms after the first few times.
 *
 * @throws Error with `otherwise` after `timeoutMs`; whatever `ask` throws; AbortError when the signal says so
 */
export async function waitFor(
  ask: () => boolean | Promise<boolean>,
  options: WaitOptions = {},
): Promise<void> {
  const { timeoutMs = PATIENCE_MS, otherwise = `still false: ${ask}`, signal } = options;
  const deadline = performance.now() + timeoutMs;
  for (let delayMs = FIRST_DELAY_MS; !(await ask()); delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    if (performance.now() > deadline) {
      const text = typeof otherwise === 'string' ? otherwise : otherwise();
      throw new Error(`${text} within ${timeoutMs / 1000} s`);
    }
    await delay(delayMs, undefined, { signal });
  }
}
