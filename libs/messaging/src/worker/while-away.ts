import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@signalbox/runtime/logger';
import { isOutage, isRefusal } from '@signalbox/runtime/outage';
import { reasonOf } from '@signalbox/runtime/reason-of';
import { findTlsAdvice } from '@signalbox/runtime/tls-failure';

const RETRY_MS = 1_000;

/** Interval of the lines that say what is waited for. */
const REMIND_MS = 60_000;

export interface WaitOptions {
  logger: Logger;
  /** Number of failures by a refusal, or an error that is no outage, after which it still tries again; 0 by default. */
  refusals?: number;
  /** Called once, before the first wait. */
  onWait?: () => Promise<void>;
}

/**
 * Repeats a step of the start while the database does not answer. Logs `dependency.lost`, every minute
 * `dependency.awaited`, and `dependency.back`.
 *
 * @throws the error of a step that waiting does not cure
 */
export async function whileAway<Result>(
  step: () => Promise<Result>,
  { logger, refusals = 0, onWait }: WaitOptions,
): Promise<Result> {
  const startedAt = Date.now();
  let saidAt = 0;
  let refused = 0;
  for (let failures = 1; ; failures += 1) {
    try {
      const result = await step();
      if (failures > 1)
        logger.warn({ dependency: 'database', awayMs: Date.now() - startedAt }, 'dependency.back');
      return result;
    } catch (error) {
      if (!isOutage(error) || isRefusal(error as NodeJS.ErrnoException)) refused += 1;
      if (refused > refusals || isLasting(error as NodeJS.ErrnoException)) throw error;
      if (failures === 1) await onWait?.();
      if (Date.now() - saidAt >= REMIND_MS) {
        saidAt = Date.now();
        // no field `error`: lines with an outage are held until the process has started
        const line = { dependency: 'database', awayMs: saidAt - startedAt, detail: reasonOf(error) };
        if (failures === 1) logger.warn(line, 'dependency.lost');
        else logger.warn(line, 'dependency.awaited');
      }
      await delay(RETRY_MS);
    }
  }
}

function isLasting(error: NodeJS.ErrnoException): boolean {
  return findTlsAdvice(error) !== undefined || error.code === 'ENOENT';
}
