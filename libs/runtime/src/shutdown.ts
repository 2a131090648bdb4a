import type { Logger } from './logger.ts';

/** Maximum time of a drain; supervisors usually kill at 30 s. */
const DRAIN_LIMIT_MS = 25_000;

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
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}

function end(logger: Logger, exitCode: number, event: string): void {
  logger.info({ exitCode }, event);
  process.exit(exitCode);
}
