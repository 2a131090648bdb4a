import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';

/** A user at an identity provider: `subject` names the user at `issuer` permanently, whatever the e-mail address. */
export interface UserIdentity {
  issuer: string;
  subject: string;
}

/** Finds the user who is linked with an identity, also a disabled one. */
export async function findUserByIdentity(
  db: EntityManager,
  { issuer, subject }: UserIdentity,
): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(
    `SELECT id
       FROM app_user
      WHERE identity_issuer = $1
        AND identity_subject = $2`,
    [issuer, subject],
  );
  return row?.id;
}

/** Links a user with an identity; false when the user has one. */
export async function linkIdentity(
  db: EntityManager,
  userId: string,
  { issuer, subject }: UserIdentity,
): Promise<boolean> {
  const linked = await countChanged(
    db,
    `UPDATE app_user
        SET identity_issuer = $2, identity_subject = $3
      WHERE id = $1
        AND identity_subject IS NULL`,
    [userId, issuer, subject],
  );
  return linked > 0;
}

/** Marks a sign-in with an identity provider as used; false when it was before. Forgets those that have expired. */
export async function useSignIn(db: EntityManager, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `WITH expired AS (
       DELETE FROM used_sign_in WHERE expires_at < now() - interval '1 minute'
     )
     INSERT INTO used_sign_in (hash, expires_at)
     VALUES ($1, $2)
     ON CONFLICT ON CONSTRAINT used_sign_in_pkey DO NOTHING
     RETURNING hash`,
    [hash, expiresAt],
  );
  return rows.length > 0;
}
