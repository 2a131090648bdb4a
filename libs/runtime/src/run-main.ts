import { setFlagsFromString } from 'node:v8';
import type { Logger } from './logger.ts';
import { endAtSignals } from './shutdown.ts';

/** Cause of an exception that ends the process, as far as the app knows. */
export interface CrashCause {
  /** Fields of the log line. */
  fields: object;
  /** Resolves when the record for the next process is stored, if there is one. */
  recorded?: Promise<unknown>;
}

/** Finds the cause. Called while the exception surfaces, in its async context. */
export type FindCrashCause = () => CrashCause | undefined;

/** Maximum milliseconds to store the record. */
const RECORD_LIMIT_MS = 3_000;

/**
 * The garbage that the heap may hold before a full collection, in percent of what is in use. V8 allows about a tenth
 * in a process of this size: large requests of one account then cause a collection every two seconds, each of which
 * delays all others by 10 to 20 ms.
 */
const HEAP_GROWTH = 100;

/**
 * Runs the start of a process. A failure of the start is logged as one line and ends the process with exit code 1. So
 * does an uncaught exception, which is logged with its cause after the app has stored its record. Further errors until
 * then are ignored. A signal ends the start with exit code 0.
 *
 * @param start calls its argument, as early as it can, with the function that finds causes
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
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  endAtSignals(logger);
  process.on('uncaughtException', endBy('process.uncaught_exception'));
  process.on('unhandledRejection', endBy('process.unhandled_rejection'));
  start((find) => (findCause = find)).catch(endBy('process.start_failed'));
}
