import type { Logger } from './logger.ts';

/** Work that is done again and again, each time `everyMs` after the last time ended. */
export interface Repeated {
  /** Resolves when the work under way has ended; there is no further one. */
  stop: () => Promise<void>;
}

/** Starts repeating a piece of work. A pass that fails is logged and tried again at the next turn. */
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
      logger.warn({ work: name, error }, 'repeat.failed');
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
