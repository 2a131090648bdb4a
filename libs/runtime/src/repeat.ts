import type { Logger } from './logger.ts';

/** Work that is repeated until it is stopped. */
export interface Repeated {
  /** Starts no further pass, and resolves when the current one has ended. */
  stop: () => Promise<void>;
}

/**
 * Repeats a duty, each pass `everyMs` after the end of the last. A pass that fails is logged as `duty.failed`; the next
 * one runs.
 */
export function repeat(
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
  logger: Logger,
): Repeated {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  const schedule = (): void => {
    timer = setTimeout(() => {
      pass = run();
    }, everyMs);
  };
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.warn({ duty: name, error }, 'duty.failed');
    }
    if (!stopped) schedule();
  };

  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
}
