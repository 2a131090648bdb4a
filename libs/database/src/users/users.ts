import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { setTotp } from './second-factors.ts';
import { deleteLinkOf, deleteOtherSessions } from './sessions.ts';

/** A user with what proves their identity. */
export interface UserSecrets {
  id: string;
  email: string;
  name: string;
  isOperator: boolean;
  /** Null until the user sets a password. */
  passwordHash: string | null;
  /** Null without a second factor. */
  sealedTotp: Buffer | null;
  /** A second factor that is not confirmed yet. */
  sealedNewTotp: Buffer | null;
  recoveryCodes: number;
  /** Issuer and subject of the identity provider; null for a user who never signed in through one. */
  identityIssuer: string | null;
  identitySubject: string | null;
}

const SECRETS = `id, email, name, is_operator AS "isOperator", password_hash AS "passwordHash", sealed_totp AS "sealedTotp",
         sealed_new_totp AS "sealedNewTotp", cardinality(recovery_hashes) AS "recoveryCodes",
         identity_issuer AS "identityIssuer", identity_subject AS "identitySubject"`;

/** Finds the user of an e-mail address, unless disabled. */
export function findUserByEmail(db: EntityManager, email: string): Promise<UserSecrets | undefined> {
  return findWhere(db, 'email = $1', email);
}

/** Finds a user, unless disabled. */
export function findUser(db: EntityManager, id: string): Promise<UserSecrets | undefined> {
  return findWhere(db, 'id = $1', id);
}

/**
 * Locks a user until the transaction ends, unless disabled. Sign-ins and changes of what proves a user wait for each
 * other: a session that the old password began is never left behind a new one.
 */
export function lockUser(db: EntityManager, id: string): Promise<UserSecrets | undefined> {
  return findWhere(db, 'id = $1', id, 'FOR NO KEY UPDATE');
}

/**
 * Locks users until the transaction ends, disabled ones as well, in the order of their ids, so that two users who change
 * each other never deadlock.
 */
export async function lockUsers(db: EntityManager, ids: readonly string[]): Promise<void> {
  await db.query(
    `SELECT 1
       FROM app_user
      WHERE id = ANY($1)
      ORDER BY id
        FOR UPDATE`,
    [ids],
  );
}

async function findWhere(
  db: EntityManager,
  condition: string,
  value: string,
  lock = '',
): Promise<UserSecrets | undefined> {
  const [row]: UserSecrets[] = await db.query(
    sql`
      SELECT ${SECRETS}
        FROM app_user
       WHERE ${condition}
         AND disabled_at IS NULL
       ${lock}`,
    [value],
  );
  return row;
}

/** An account that a user may act in. */
export interface UsableAccount {
  id: string;
  name: string;
}

/**
 * Lists at most 200 accounts that a user may act in, by name. An operator may act in all: of those, the 200 oldest are
 * read, by their key, so that the list costs the same however many there are.
 */
export function listUsableAccounts(db: EntityManager, userId: string): Promise<UsableAccount[]> {
  return db.query(
    `SELECT a.id, a.name
       FROM app_user u
       JOIN user_account ua ON ua.user_id = u.id AND ua.disabled_at IS NULL
       JOIN account a ON a.id = ua.account_id
      WHERE u.id = $1
     UNION
     (SELECT a.id, a.name
        FROM account a
       WHERE (SELECT u.is_operator FROM app_user u WHERE u.id = $1)
       ORDER BY a.id
       LIMIT 200)
      ORDER BY name, id
      LIMIT 200`,
    [userId],
  );
}

/**
 * The account that a new session of a user acts in, a suspended one only when there is no other; undefined when there is
 * none.
 */
export async function findFirstAccount(db: EntityManager, userId: string): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(
    `SELECT a.id
       FROM app_user u
       CROSS JOIN LATERAL (
         (SELECT ua.account_id AS id, account.status, 0 AS place, ua.created_at
            FROM user_account ua
            JOIN account ON account.id = ua.account_id
           WHERE ua.user_id = u.id
             AND ua.disabled_at IS NULL)
         UNION ALL
         (SELECT account.id, account.status, 1, account.created_at
            FROM account
           WHERE u.is_operator
             AND account.status = 'active'
           ORDER BY account.id
           LIMIT 1)
         UNION ALL
         (SELECT account.id, account.status, 2, account.created_at
            FROM account
           WHERE u.is_operator
           ORDER BY account.id
           LIMIT 1)
       ) AS a
      WHERE u.id = $1
      ORDER BY a.status <> 'active', a.place, a.created_at
      LIMIT 1`,
    [userId],
  );
  return row?.id;
}

/** True when a user may act in an account that exists. */
export async function mayUseAccount(db: EntityManager, userId: string, accountId: string): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `SELECT 1
       FROM app_user u
       JOIN account a ON a.id = $2
       LEFT JOIN user_account ua ON ua.user_id = u.id AND ua.account_id = a.id
      WHERE u.id = $1
        AND (u.is_operator OR (ua.role IS NOT NULL AND ua.disabled_at IS NULL))`,
    [userId, accountId],
  );
  return rows.length > 0;
}

/** Inserts a user; false when the e-mail address has one. */
export async function insertUser(
  db: EntityManager,
  user: { id: string; email: string; name: string; isOperator: boolean },
): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `INSERT INTO app_user (id, email, name, is_operator)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT ON CONSTRAINT app_user_email DO NOTHING
     RETURNING id`,
    [user.id, user.email, user.name, user.isOperator],
  );
  return rows.length > 0;
}

/** Sets the password of a user. */
export async function setPassword(db: EntityManager, userId: string, hash: string | null): Promise<void> {
  await db.query(`UPDATE app_user SET password_hash = $2 WHERE id = $1`, [userId, hash]);
}

/**
 * Ends the sign-in of a user who gets rights in another account, or those of an operator: an account that the user
 * belonged to may have made it. That of an operator stays, because no account can have made it.
 *
 * @returns true when it has ended
 */
export async function endForeignSignIn(
  db: EntityManager,
  { id, isOperator }: Pick<UserSecrets, 'id' | 'isOperator'>,
): Promise<boolean> {
  if (isOperator) return false;
  await setTotp(db, id, null);
  await endSignIn(db, id);
  return true;
}

/**
 * Removes the password and the sign-in link of a user and ends the sessions: whoever had them has not proved to own the
 * e-mail address.
 */
export async function endSignIn(db: EntityManager, userId: string): Promise<void> {
  await setPassword(db, userId, null);
  await deleteLinkOf(db, userId);
  await deleteOtherSessions(db, userId, null);
}
