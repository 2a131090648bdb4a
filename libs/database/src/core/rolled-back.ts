import type { EntityManager } from 'typeorm';

/** Ends the transaction of a trial. */
const UNDO = new Error('a trial is rolled back');

/** Runs statements in a transaction that is rolled back, so that nothing of them stays. @throws the error of `work` */
export async function rolledBack(
  db: EntityManager,
  work: (db: EntityManager) => Promise<unknown>,
): Promise<void> {
  const trial = db.transaction(async (transaction) => {
    await work(transaction);
    throw UNDO;
  });
  await trial.catch((error: unknown) => {
    if (error !== UNDO) throw error;
  });
}
