import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';

/** Stores a second factor that the user has yet to confirm. */
export async function offerTotp(db: EntityManager, userId: string, sealed: Buffer): Promise<void> {
  await db.query(`UPDATE app_user SET sealed_new_totp = $2 WHERE id = $1`, [userId, sealed]);
}

/** Puts a confirmed second factor in force; `step` is that of the code that confirmed it. */
export async function setTotp(
  db: EntityManager,
  userId: string,
  totp: { sealed: Buffer; step: number; recoveryHashes: Buffer[] } | null,
): Promise<void> {
  await db.query(
    `UPDATE app_user
        SET sealed_totp = $2, sealed_new_totp = NULL, totp_step = $3, recovery_hashes = $4
      WHERE id = $1`,
    [userId, totp?.sealed ?? null, totp?.step ?? null, totp?.recoveryHashes ?? []],
  );
}

/** Uses up the code of a step; false when it or a later one was used before. */
export async function useTotpStep(db: EntityManager, userId: string, step: number): Promise<boolean> {
  return (
    (await countChanged(
      db,
      `UPDATE app_user
          SET totp_step = $2
        WHERE id = $1
          AND (totp_step IS NULL OR totp_step < $2)`,
      [userId, step],
    )) > 0
  );
}

/** Uses up a recovery code; false when the user has no such code. */
export async function useRecoveryCode(db: EntityManager, userId: string, hash: Buffer): Promise<boolean> {
  return (
    (await countChanged(
      db,
      `UPDATE app_user
          SET recovery_hashes = array_remove(recovery_hashes, $2::bytea)
        WHERE id = $1
          AND $2::bytea = ANY(recovery_hashes)`,
      [userId, hash],
    )) > 0
  );
}
