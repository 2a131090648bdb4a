import type { Role } from '@signalbox/domain/role';
import { SESSION_DAYS, SESSION_IDLE_HOURS } from '@signalbox/domain/session';
import type { EntityManager } from 'typeorm';
import { countChanged, returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/** A live session: its user, and the account that it acts in. */
export interface LiveSession {
  sessionId: string;
  userId: string;
  userName: string;
  email: string;
  role: Role;
  accountId: string;
  accountStatus: 'active' | 'suspended';
  isPaced: boolean;
  /** True when its last noted use is more than a minute ago. */
  isUseDue: boolean;
}

/** A session as its user sees it. */
export interface ListedSession {
  id: string;
  address: string;
  userAgent: string;
  createdAt: Date;
  usedAt: Date;
}

const IS_LIVE = sql`
  us.used_at > now() - make_interval(hours => ${SESSION_IDLE_HOURS})
  AND us.created_at > now() - make_interval(days => ${SESSION_DAYS})`;

const FIND = sql`
  SELECT us.id AS "sessionId", u.id AS "userId", u.name AS "userName", u.email,
         CASE WHEN u.is_operator THEN 'operator' ELSE ua.role END AS role,
         a.id AS "accountId", a.status AS "accountStatus",
         a.sms_per_second IS NOT NULL OR a.paused_at IS NOT NULL AS "isPaced",
         us.used_at < now() - interval '1 minute' AS "isUseDue"
    FROM user_session us
    JOIN app_user u ON u.id = us.user_id
    JOIN account a ON a.id = us.account_id
    LEFT JOIN user_account ua ON ua.account_id = us.account_id AND ua.user_id = us.user_id
   WHERE us.hash = $1
     AND ${IS_LIVE}
     AND u.disabled_at IS NULL
     AND (u.is_operator OR (ua.role IS NOT NULL AND ua.disabled_at IS NULL))`;

/** Finds a live session whose user may act in its account now. */
export async function findSession(db: EntityManager, hash: Buffer): Promise<LiveSession | undefined> {
  const [row]: LiveSession[] = await db.query(FIND, [hash]);
  return row;
}

/** Maximum number of sessions of a user; a list shows all of them. */
const MAX_SESSIONS = 100;

/** Inserts a session, and notes the time at its user, whose oldest session ends when there are MAX_SESSIONS. */
export async function insertSession(
  db: EntityManager,
  session: {
    id: string;
    hash: Buffer;
    userId: string;
    accountId: string;
    address: string;
    userAgent: string;
  },
): Promise<void> {
  const { id, hash, userId, accountId, address, userAgent } = session;
  await db.query(
    `WITH signed_in AS (
       UPDATE app_user SET signed_in_at = now() WHERE id = $3
     ), ended AS (
       DELETE FROM user_session
        WHERE id IN (
          SELECT id
            FROM user_session
           WHERE user_id = $3
           ORDER BY user_id DESC, id DESC
          OFFSET ${MAX_SESSIONS - 1}
        )
     )
     INSERT INTO user_session (id, hash, user_id, account_id, address, user_agent)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, hash, userId, accountId, address, userAgent],
  );
}

/** Notes a use of a session, at most once a minute. */
export async function touchSession(db: EntityManager, id: string): Promise<void> {
  await db.query(
    `UPDATE user_session
        SET used_at = now()
      WHERE id = $1
        AND used_at < now() - interval '1 minute'`,
    [id],
  );
}

/** Makes a session act in another account. The caller has checked that its user may. */
export async function switchAccount(db: EntityManager, id: string, accountId: string): Promise<void> {
  await db.query(`UPDATE user_session SET account_id = $2 WHERE id = $1`, [id, accountId]);
}

/** Lists the live sessions of a user, newest first. */
export function listSessions(db: EntityManager, userId: string): Promise<ListedSession[]> {
  return db.query(
    sql`
      SELECT us.id, us.address, us.user_agent AS "userAgent", us.created_at AS "createdAt", us.used_at AS "usedAt"
        FROM user_session us
       WHERE us.user_id = $1
         AND ${IS_LIVE}
       ORDER BY us.id DESC
       LIMIT ${MAX_SESSIONS}`,
    [userId],
  );
}

/** True while a session of a user has not ended. */
export async function hasSession(db: EntityManager, userId: string, id: string): Promise<boolean> {
  const rows: unknown[] = await db.query(`SELECT 1 FROM user_session WHERE id = $1 AND user_id = $2`, [
    id,
    userId,
  ]);
  return rows.length > 0;
}

/** True when a session began within the last minutes. */
export async function isRecentSession(db: EntityManager, id: string, minutes: number): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `SELECT 1
       FROM user_session
      WHERE id = $1
        AND created_at > now() - make_interval(mins => $2)`,
    [id, minutes],
  );
  return rows.length > 0;
}

/** Ends a session of a user; false when the user has none of this id. */
export async function deleteSession(db: EntityManager, userId: string, id: string): Promise<boolean> {
  const statement = `DELETE FROM user_session WHERE id = $2 AND user_id = $1`;
  return (await countChanged(db, statement, [userId, id])) > 0;
}

/** Ends the session of a token, if it has one. */
export async function deleteSessionOf(db: EntityManager, hash: Buffer): Promise<void> {
  await db.query(`DELETE FROM user_session WHERE hash = $1`, [hash]);
}

/** Ends the sessions of a user, except one. @returns their number */
export function deleteOtherSessions(
  db: EntityManager,
  userId: string,
  keptId: string | null,
): Promise<number> {
  return countChanged(db, `DELETE FROM user_session WHERE user_id = $1 AND id IS DISTINCT FROM $2`, [
    userId,
    keptId,
  ]);
}

/** Ends the sessions of a user that act in an account. */
export async function deleteSessionsIn(db: EntityManager, userId: string, accountId: string): Promise<void> {
  await db.query(`DELETE FROM user_session WHERE user_id = $1 AND account_id = $2`, [userId, accountId]);
}

/** Stores the sign-in link of a user. An earlier one stops working. */
export async function upsertSignInLink(
  db: EntityManager,
  userId: string,
  hash: Buffer,
  minutes: number,
): Promise<void> {
  await db.query(
    `INSERT INTO sign_in_link (hash, user_id, expires_at)
     VALUES ($2, $1, now() + make_interval(mins => $3))
     ON CONFLICT ON CONSTRAINT sign_in_link_of_user DO UPDATE
        SET hash = EXCLUDED.hash, expires_at = EXCLUDED.expires_at, created_at = now()`,
    [userId, hash, minutes],
  );
}

/** Finds the user of a valid sign-in link, without using it up. */
export async function findLinkUser(db: EntityManager, hash: Buffer): Promise<string | undefined> {
  const [row]: { userId: string }[] = await db.query(
    `SELECT user_id AS "userId" FROM sign_in_link WHERE hash = $1 AND expires_at > now()`,
    [hash],
  );
  return row?.userId;
}

/** Uses up a sign-in link; false when it was used, replaced or expired meanwhile. */
export async function deleteSignInLink(db: EntityManager, hash: Buffer): Promise<boolean> {
  const used = await returning<object>(
    db,
    `DELETE FROM sign_in_link WHERE hash = $1 AND expires_at > now() RETURNING user_id`,
    [hash],
  );
  return used.length > 0;
}

/** Ends the sign-in link of a user, if there is one. */
export async function deleteLinkOf(db: EntityManager, userId: string): Promise<void> {
  await db.query(`DELETE FROM sign_in_link WHERE user_id = $1`, [userId]);
}
