import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { rolledBack } from '@signalbox/database/core/rolled-back';
import { lockNextReady, setAside } from '@signalbox/database/submissions/set-aside';
import type { Channel } from '@signalbox/domain/channel';
import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';

/** Thrown when the row of a submission fails the statement that fans it out with others: nothing was claimed. */
export class RefusedFanOut extends Error {
  override name = 'RefusedFanOut';
}

/** Waits for a statement that fans out. @throws RefusedFanOut for a value that it refuses */
export async function orRefused<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (cause) {
    throw isRefusedValue(cause) ? new RefusedFanOut('a submission cannot be fanned out', { cause }) : cause;
  }
}

/** A submission that fails rounds, and the error that it causes. */
export interface RefusedSubmission {
  id: string;
  error: unknown;
}

/**
 * Sets the next submission of a lane aside, if it fails a round of one message.
 *
 * @param after the account or sender after which the round begins; null for the first
 * @param round runs such a round, which is rolled back
 * @returns undefined when it does not fail, or there is none
 */
export function setRefusedAside(
  db: EntityManager,
  { channel, lane, after }: { channel: Channel; lane: Lane; after: string | null },
  round: (db: EntityManager) => Promise<unknown>,
): Promise<RefusedSubmission | undefined> {
  return db.transaction(async (transaction) => {
    const id = await lockNextReady(transaction, channel, lane, after); // else another worker may set it aside
    if (id === undefined) return undefined;
    try {
      await rolledBack(transaction, round);
      return undefined;
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      await setAside(transaction, channel, id);
      return { id, error };
    }
  });
}
