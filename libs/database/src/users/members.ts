import type { AccountRole, Role } from '@signalbox/domain/role';
import type { EntityManager } from 'typeorm';
import { lockAccounts } from '../accounts/accounts.ts';
import { sql } from '../core/sql.ts';

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
  await lockAccounts(db, [accountId]);
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

/** Takes the rights of an operator from a user. A disabled one stays disabled, in each of the user's accounts. */
export async function endOperator(db: EntityManager, userId: string): Promise<void> {
  await db.query(
    `UPDATE user_account ua
        SET disabled_at = u.disabled_at
       FROM app_user u
      WHERE u.id = $1
        AND u.disabled_at IS NOT NULL
        AND ua.user_id = u.id
        AND ua.disabled_at IS NULL`,
    [userId],
  );
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
