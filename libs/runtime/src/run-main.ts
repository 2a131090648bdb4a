import type { Logger } from './logger.ts';

/** Where an exception that ends the process comes from, as far as the app knows. */
export interface CrashCause {
  /** Named in the log line. */
  fields: object;
  /** Resolves when what the next process must know is stored, if there is something. */
  recorded?: Promise<unknown>;
}

/** Called while the exception surfaces, in its async context. */
export type FindCrashCause = () => CrashCause | undefined;

/** A process whose database does not answer by then ends all the same. */
const RECORD_LIMIT_MS = 3_000;

/**
 * Runs a process's start; a failure is logged as one line and ends the process with exit code 1. So does an exception that nobody
 * catches: it is logged with its cause, and what the app records of it is stored first. Whatever else fails until then is ignored.
 *
 * @param start may name who knows the causes of exceptions, as early as it can
 */
export function runMain(
  logger: Logger,
  start: (onCrash: (find: FindCrashCause) => void) => Promise<void>,
): void {
  let findCause: FindCrashCause = () => undefined;
  let isEnding = false;
  const endBy = (event: string) => (error: unknown) => {
    if (isEnding) return;
    isEnding = true;
    const end = () => process.exit(1);
    setTimeout(end, RECORD_LIMIT_MS);
    const cause = findCause();
    logger.error({ ...cause?.fields, error }, event);
    if (!cause?.recorded) return end();
    cause.recorded
      .catch((failure: unknown) => logger.error({ error: failure }, 'process.cause_unrecorded'))
      .finally(end);
  };
  process.on('uncaughtException', endBy('process.uncaught_exception'));
  process.on('unhandledRejection', endBy('process.unhandled_rejection'));
  start((find) => (findCause = find)).catch(endBy('process.start_failed'));
}
