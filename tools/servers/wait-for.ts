import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  timeoutMs: number;
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
  const deadline = performance.now() + options.timeoutMs;
  while (!(await ask())) {
    if (performance.now() > deadline)
      throw new Error(`${options.otherwise} within ${options.timeoutMs / 1000} s`);
    await delay(25, undefined, { signal: options.signal });
  }
}
