import type { AccountRole, Role } from '@signalbox/domain/role';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { deleteOtherSessions } from './sessions.ts';

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

/** The account that a new session of a user acts in; undefined when there is none. */
export async function findFirstAccount(db: EntityManager, userId: string): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(
    `SELECT a.id
       FROM app_user u
       CROSS JOIN LATERAL (
         (SELECT ua.account_id AS id, 0 AS place, ua.created_at
            FROM user_account ua
           WHERE ua.user_id = u.id
             AND ua.disabled_at IS NULL)
         UNION ALL
         (SELECT account.id, 1, account.created_at
            FROM account
           WHERE u.is_operator
           ORDER BY account.id
           LIMIT 1)
       ) AS a
      WHERE u.id = $1
      ORDER BY a.place, a.created_at
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
 * True for a user whose sign-in stays when an operator gives them rights in another account: nobody but an operator,
 * or the owner of the e-mail address, can have made it.
 */
export function keepsSignIn({ isOperator, identitySubject }: UserSecrets): boolean {
  return isOperator || identitySubject !== null;
}

/** Removes the password of a user and ends the sessions: whoever set it has not proved to own the e-mail address. */
export async function endSignIn(db: EntityManager, userId: string): Promise<void> {
  await setPassword(db, userId, null);
  await deleteOtherSessions(db, userId, null);
}

/** A user as the admins of an account see them. */
export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  hasPassword: boolean;
  hasTotp: boolean;
  disabledAt: Date | null;
  signedInAt: Date | null;
  createdAt: Date;
}

const MEMBER = `u.id, u.email, u.name, CASE WHEN u.is_operator THEN 'operator' ELSE ua.role END AS role,
         u.password_hash IS NOT NULL AS "hasPassword", u.sealed_totp IS NOT NULL AS "hasTotp",
         COALESCE(u.disabled_at, ua.disabled_at) AS "disabledAt", u.signed_in_at AS "signedInAt",
         COALESCE(ua.created_at, u.created_at) AS "createdAt"`;

/**
 * Lists the users of an account, the newest first, before the user `before`.
 *
 * @param withOperators adds the operators, who belong to every account
 */
export function listMembers(
  db: EntityManager,
  accountId: string,
  { withOperators, limit, before }: { withOperators: boolean; limit: number; before?: string | undefined },
): Promise<Member[]> {
  return db.query(
    sql`
      SELECT ${MEMBER}
        FROM (
          SELECT user_id AS id FROM user_account WHERE account_id = $1
          UNION
          SELECT id FROM app_user WHERE is_operator AND $2
        ) AS listed
        JOIN app_user u ON u.id = listed.id
        LEFT JOIN user_account ua ON ua.account_id = $1 AND ua.user_id = u.id
       WHERE $4::uuid IS NULL OR u.id < $4
       ORDER BY u.id DESC
       LIMIT $3`,
    [accountId, withOperators, limit, before ?? null],
  );
}

/** Locks a user of an account until the transaction ends; operators are found too if `withOperators`. */
export async function lockMember(
  db: EntityManager,
  accountId: string,
  userId: string,
  withOperators: boolean,
): Promise<Member | undefined> {
  await db.query(`SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE`, [accountId]);
  const [row]: Member[] = await db.query(
    sql`
      SELECT ${MEMBER}
        FROM app_user u
        LEFT JOIN user_account ua ON ua.account_id = $1 AND ua.user_id = u.id
       WHERE u.id = $2
         AND (ua.user_id IS NOT NULL OR (u.is_operator AND $3))
         FOR UPDATE OF u`,
    [accountId, userId, withOperators],
  );
  return row;
}

/**
 * Counts the other users of the role `admin` of an account, or the other operators, that can act. Call it with the
 * account or the operators locked until the transaction ends: `lockMember` locks the account, this the operators.
 */
export async function countOthers(
  db: EntityManager,
  accountId: string,
  userId: string,
  role: 'admin' | 'operator',
): Promise<number> {
  if (role === 'operator') await db.query(`SELECT pg_advisory_xact_lock(hashtext('operators'))`);
  const [row]: { count: number }[] = await db.query(
    role === 'operator' ? COUNT_OPERATORS : COUNT_ADMINS,
    role === 'operator' ? [userId] : [userId, accountId],
  );
  return row?.count ?? 0;
}

const COUNT_OPERATORS = sql`
  SELECT count(*)::integer AS count
    FROM app_user
   WHERE is_operator
     AND disabled_at IS NULL
     AND id <> $1`;

const COUNT_ADMINS = sql`
  SELECT count(*)::integer AS count
    FROM user_account ua
    JOIN app_user u ON u.id = ua.user_id
   WHERE ua.account_id = $2
     AND ua.role = 'admin'
     AND ua.disabled_at IS NULL
     AND u.disabled_at IS NULL
     AND u.id <> $1`;

/** Gives a user a role in an account; a user who has one gets the new one, and is enabled. */
export async function upsertMember(
  db: EntityManager,
  accountId: string,
  userId: string,
  role: AccountRole,
): Promise<void> {
  await db.query(
    `INSERT INTO user_account (account_id, user_id, role)
     VALUES ($1, $2, $3)
     ON CONFLICT ON CONSTRAINT user_account_pkey DO UPDATE
        SET role = EXCLUDED.role, disabled_at = NULL`,
    [accountId, userId, role],
  );
}

/**
 * Gives a user a first role in an account; false when the user has one, or was removed meanwhile. A removal that is
 * later waits, and then leaves the user to this account.
 */
export async function insertMember(
  db: EntityManager,
  accountId: string,
  userId: string,
  role: AccountRole,
): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `INSERT INTO user_account (account_id, user_id, role)
     SELECT $1::uuid, u.id, $3
       FROM (SELECT id FROM app_user WHERE id = $2 FOR KEY SHARE) AS u
     ON CONFLICT ON CONSTRAINT user_account_pkey DO NOTHING
     RETURNING user_id`,
    [accountId, userId, role],
  );
  return rows.length > 0;
}

/** Changes the role of a user in an account. */
export async function changeRole(
  db: EntityManager,
  accountId: string,
  userId: string,
  role: AccountRole,
): Promise<void> {
  await db.query(`UPDATE user_account SET role = $3 WHERE account_id = $1 AND user_id = $2`, [
    accountId,
    userId,
    role,
  ]);
}

/** Disables or enables a user in an account. */
export async function disableMember(
  db: EntityManager,
  accountId: string,
  userId: string,
  isDisabled: boolean,
): Promise<void> {
  await db.query(
    `UPDATE user_account
        SET disabled_at = CASE WHEN $3 THEN COALESCE(disabled_at, now()) END
      WHERE account_id = $1
        AND user_id = $2`,
    [accountId, userId, isDisabled],
  );
}

/** Disables or enables an operator everywhere. */
export async function disableOperator(db: EntityManager, userId: string, isDisabled: boolean): Promise<void> {
  await db.query(
    `UPDATE app_user
        SET disabled_at = CASE WHEN $2 THEN COALESCE(disabled_at, now()) END
      WHERE id = $1
        AND is_operator`,
    [userId, isDisabled],
  );
}

/** Removes a user from an account, and the user as well when this was the last account. */
export async function deleteMember(db: EntityManager, accountId: string, userId: string): Promise<void> {
  await db.query(`DELETE FROM user_account WHERE account_id = $1 AND user_id = $2`, [accountId, userId]);
  await db.query(
    `DELETE FROM app_user u
      WHERE u.id = $1
        AND NOT u.is_operator
        AND NOT EXISTS (SELECT FROM user_account ua WHERE ua.user_id = u.id)`,
    [userId],
  );
}

/** Takes the rights of an operator from a user. */
export async function endOperator(db: EntityManager, userId: string): Promise<void> {
  await db.query(`UPDATE app_user SET is_operator = false, disabled_at = NULL WHERE id = $1`, [userId]);
}

/** True when a user is an operator, or belongs to an account other than this one. */
export async function isSharedUser(db: EntityManager, accountId: string, userId: string): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `SELECT 1
       FROM app_user u
      WHERE u.id = $2
        AND (u.is_operator
             OR EXISTS (SELECT FROM user_account ua WHERE ua.user_id = u.id AND ua.account_id <> $1))`,
    [accountId, userId],
  );
  return rows.length > 0;
}
