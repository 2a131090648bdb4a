import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '@signalbox/database/core/in-transaction';
import type { Logger } from '@signalbox/runtime/logger';
import { findTlsAdvice } from '@signalbox/runtime/tls-failure';

const ATTEMPTS = 60;
const RETRY_MS = 1_000;

/** Options of a TypeORM module in a process that has waited for its database. */
export const NO_RETRIES = { toRetry: () => false };

/**
 * Waits for the database of a process that starts before it: for a minute of attempts, with one log line when the wait
 * begins and one when it ends.
 *
 * @throws the last error; immediately one that waiting does not mend, such as a certificate that cannot be verified or a
 *   missing file of certificates
 */
export async function awaitDatabase(url: string, app: string, logger: Logger): Promise<void> {
  const startedAt = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await inTransaction(url, app, () => Promise.resolve());
      if (attempt > 1)
        logger.warn({ dependency: 'database', awayMs: Date.now() - startedAt }, 'dependency.back');
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !mayPass(error as NodeJS.ErrnoException)) throw error;
      if (attempt === 1) logger.warn({ dependency: 'database', error }, 'dependency.lost');
      await delay(RETRY_MS);
    }
  }
}

function mayPass(error: NodeJS.ErrnoException): boolean {
  return findTlsAdvice(error) === undefined && error.code !== 'ENOENT';
}
