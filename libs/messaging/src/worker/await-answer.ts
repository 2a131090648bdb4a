import { setTimeout as delay } from 'node:timers/promises';
import { requireWritable } from '@signalbox/database/ops/readiness';
import { answersWithin } from '@signalbox/runtime/with-timeout';
import type { EntityManager } from 'typeorm';

const ANSWER_TIMEOUT_MS = 2_000;
const RETRY_MS = 500;

/**
 * Waits while the database does not answer, or takes no writes.
 *
 * @param isClosing ends the wait when it turns true
 * @returns false when there was nothing to wait for, or the wait was ended
 */
export async function awaitAnswer(db: EntityManager, isClosing: () => boolean): Promise<boolean> {
  for (let hasWaited = false; !isClosing(); hasWaited = true) {
    if (await answersWithin(requireWritable(db), ANSWER_TIMEOUT_MS)) return hasWaited;
    await delay(RETRY_MS);
  }
  return false;
}
