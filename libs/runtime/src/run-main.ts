import type { Logger } from './logger.ts';

/** Runs a process's start; a failure is logged as one line and ends the process with exit code 1. */
export function runMain(logger: Logger, start: () => Promise<void>): void {
  process.on('unhandledRejection', (error) => {
    logger.error({ error }, 'process.unhandled_rejection');
    process.exit(1);
  });
  start().catch((error: unknown) => {
    logger.error({ error }, 'process.start_failed');
    process.exit(1);
  });
}
