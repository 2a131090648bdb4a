import type { Logger } from './logger.ts';

/** Work that is repeated until it is stopped. */
export interface Repeated {
  /** Starts no further pass, and resolves when the current one has ended. */
  stop: () => Promise<void>;
}

/** Milliseconds after the last pass that found something to do, after which a duty is idle. */
const IDLE_AFTER_MS = 2_000;

/** When the passes of a duty run. */
export interface Schedule {
  /** Milliseconds from the end of a pass to the start of the next. */
  everyMs: number;
  /** The same while the duty has found nothing to do for two seconds. */
  idleMs?: number | undefined;
  /** Milliseconds to the first pass; `everyMs` by default. */
  firstMs?: number;
}

/**
 * Repeats a duty. A pass that fails is logged as `duty.failed`; the next one runs.
 *
 * @param work one pass; it resolves with false when it found nothing to do. `isStopped` is true once `stop` was called
 */
export function repeat(
  name: string,
  { everyMs, idleMs = everyMs, firstMs = everyMs }: Schedule,
  work: (isStopped: () => boolean) => Promise<unknown>,
  logger: Logger,
): Repeated {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();
  let foundAt = performance.now();

  const schedule = (afterMs: number): void => {
    timer = setTimeout(() => {
      pass = run();
    }, afterMs);
  };
  const run = async (): Promise<void> => {
    try {
      if ((await work(() => stopped)) !== false) foundAt = performance.now();
    } catch (error) {
      logger.warn({ duty: name, error }, 'duty.failed');
    }
    if (stopped) return;
    const isIdle = performance.now() - foundAt > IDLE_AFTER_MS;
    schedule(isIdle ? idleMs : everyMs);
  };

  schedule(firstMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
}
