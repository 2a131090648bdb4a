import { setTimeout as delay } from 'node:timers/promises';

/** Exceeds every expected wait on a slow machine, so that only a condition that never comes about fails. */
const PATIENCE_MS = 60_000;

export interface WaitOptions {
  /** 60,000 by default. */
  timeoutMs?: number;
  /** Text of the error: `postgres did not answer`. */
  otherwise: string;
  signal?: AbortSignal | undefined;
}

/**
 * Asks until the answer is true, every 25 ms.
 *
 * @throws Error with `otherwise` after `timeoutMs`; whatever `ask` throws; AbortError when the signal says so
 */
export async function waitFor(ask: () => boolean | Promise<boolean>, options: WaitOptions): Promise<void> {
  const { timeoutMs = PATIENCE_MS, otherwise, signal } = options;
  const deadline = performance.now() + timeoutMs;
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`${otherwise} within ${timeoutMs / 1000} s`);
    await delay(25, undefined, { signal });
  }
}
