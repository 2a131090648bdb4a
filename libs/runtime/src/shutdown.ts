import type { Logger } from './logger.ts';

/** Maximum time of a drain; supervisors usually kill at 30 s. */
const DRAIN_LIMIT_MS = 25_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

let endEarly: NodeJS.SignalsListener | undefined;

/**
 * Ends a process that has not started yet at SIGTERM or SIGINT, until `onShutdown`. In a container it is process 1, to
 * which a signal without a listener does nothing.
 */
export function endAtSignals(logger: Logger): void {
  endEarly = (signal) => {
    logger.info({ signal }, 'process.draining');
    end(logger, 0, 'process.drained');
  };
  for (const signal of SIGNALS) process.on(signal, endEarly);
}

/** Runs `drain` at SIGTERM or SIGINT, then ends the process; cuts off a drain after 25 s. */
export function onShutdown(drain: () => Promise<void>, logger: Logger): void {
  let draining = false;
  const shutDown = (signal: string): void => {
    if (draining) return;
    draining = true;
    logger.info({ signal }, 'process.draining');
    setTimeout(() => end(logger, 1, 'process.drain_cut_off'), DRAIN_LIMIT_MS).unref();
    drain().then(
      () => end(logger, 0, 'process.drained'),
      (error: unknown) => {
        logger.error({ error }, 'process.drain_failed');
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) {
    process.on(signal, shutDown);
    if (endEarly) process.off(signal, endEarly);
  }
}

function end(logger: Logger, exitCode: number, event: string): void {
  logger.info({ exitCode }, event);
  process.exit(exitCode);
}
