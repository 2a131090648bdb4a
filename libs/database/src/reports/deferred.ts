import type { EntityManager } from 'typeorm';
import { arrayLiteral } from '../core/array-literal.ts';
import { returning } from '../core/returning.ts';
import { NAMED_IDS, rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** Reports of an account whose first pushes are deferred, those about codes or the others. */
export interface DeferredBatch {
  accountId: string;
  isCode: boolean;
  /** Applied, in the order of their ids; at least one. */
  reportIds: string[];
  /** The number of their first pushes. */
  pushes: number;
}

const BATCHES = rowset('given', {
  is_code: 'boolean',
  account_id: 'uuid',
  pushes: 'integer',
  reports: ['integer', ({ reportIds }: DeferredBatch) => reportIds.length],
  ids: ['text', ({ reportIds }: DeferredBatch) => arrayLiteral(reportIds)],
});

const INSERT = sql`
  INSERT INTO deferred_batch (is_code, account_id, oldest, pushes, reports, ids)
  SELECT is_code, account_id, (ids::uuid[])[1], pushes, reports, ids::uuid[]
    FROM ${BATCHES.from}`;

/** Defers reports. They stay unsettled; the rescue finds one whose row is lost. */
export async function insertDeferred(db: EntityManager, batches: DeferredBatch[]): Promise<void> {
  await db.query(INSERT, BATCHES.values(batches));
}

/** An account with deferred reports: those about codes, or the others. */
export type DeferringAccount = Pick<DeferredBatch, 'accountId' | 'isCode'>;

const KINDS = rowset('kind', { is_code: 'boolean', account_id: 'uuid' });

/** Steps from account to account, however many batches each has. $3 accounts. */
const LIST_ACCOUNTS = sql`
  SELECT kind.is_code AS "isCode", account.account_id AS "accountId"
    FROM ${KINDS.from}
   CROSS JOIN LATERAL (
     WITH RECURSIVE account AS (
       (SELECT d.account_id, 1 AS place
          FROM deferred_batch d
         WHERE d.is_code = kind.is_code
           AND d.account_id > kind.account_id
         ORDER BY d.account_id
         LIMIT 1)
       UNION ALL
       SELECT next.account_id, account.place + 1
         FROM account
        CROSS JOIN LATERAL (
          SELECT d.account_id
            FROM deferred_batch d
           WHERE d.is_code = kind.is_code
             AND d.account_id > account.account_id
           ORDER BY d.account_id
           LIMIT 1
        ) AS next
        WHERE account.place < $3::integer
     )
     SELECT account_id
       FROM account
   ) AS account`;

/**
 * Lists accounts with deferred reports, at most `limit` of each kind by their ids.
 *
 * @param after the kinds to list, each with the account after which it begins
 */
export function listDeferring(
  db: EntityManager,
  after: readonly DeferringAccount[],
  limit: number,
): Promise<DeferringAccount[]> {
  return db.query(LIST_ACCOUNTS, [...KINDS.values(after), limit]);
}

/** A claimed batch. */
export interface ClaimedBatch extends DeferredBatch {
  id: string;
  /** Claims, this one included. */
  starts: number;
}

/** The pushes for which an account has room, and all accounts of its kind together. */
export interface DeferredRoom extends DeferringAccount {
  room: number;
  roomOfAll: number;
}

const ROOMS = rowset('free', {
  is_code: 'boolean',
  account_id: 'uuid',
  room: 'integer',
  room_of_all: 'integer',
  place: ['integer', (_: DeferredRoom, index) => index],
});

/** Maximum number of batches that an account gets in one claim. */
const MAX_CLAIMED = 50;

/** $6 seconds. */
const CLAIM = sql`
  WITH oldest AS MATERIALIZED (
    SELECT batch.*, free.room, free.room_of_all, free.place
      FROM ${ROOMS.from}
     CROSS JOIN LATERAL (
       SELECT id, is_code, account_id, oldest, pushes
         FROM deferred_batch
        WHERE is_code = free.is_code
          AND account_id = free.account_id
          AND (claimed_until IS NULL OR claimed_until < now())
        ORDER BY oldest, id
        LIMIT ${MAX_CLAIMED}
          FOR UPDATE SKIP LOCKED
     ) AS batch
  ), fitting AS (
    -- batches until the room of their account is used up: the last may exceed it
    SELECT id, is_code, pushes, room_of_all, place, before
      FROM (
        SELECT *, sum(pushes) OVER (PARTITION BY is_code, account_id ORDER BY oldest, id) - pushes AS before
          FROM oldest
      ) AS summed
     WHERE before < room
  ), claimed AS (
    -- the same for the room of all
    SELECT id
      FROM (
        SELECT id, room_of_all, sum(pushes) OVER (PARTITION BY is_code ORDER BY place, before) - pushes AS before
          FROM fitting
      ) AS summed
     WHERE before < room_of_all
  )
  UPDATE deferred_batch d
     SET starts = LEAST(d.starts + 1, 32767),
         claimed_until = now() + make_interval(secs => $6)
    FROM claimed
   WHERE d.id = claimed.id
  RETURNING d.id, d.is_code AS "isCode", d.account_id AS "accountId", d.pushes, d.ids AS "reportIds", d.starts`;

/**
 * Claims deferred reports, the oldest of each account first. The accounts are served in the order given, until the room
 * of all is used up.
 *
 * @param rooms the last batch of an account may exceed its room, and the last batch of all the room of all
 */
export function claimDeferred(
  db: EntityManager,
  rooms: readonly DeferredRoom[],
  leaseSeconds: number,
): Promise<ClaimedBatch[]> {
  return returning(db, CLAIM, [...ROOMS.values(rooms), leaseSeconds]);
}

const RENEW = sql`
  UPDATE deferred_batch d
     SET claimed_until = now() + make_interval(secs => $2)
    FROM ${NAMED_IDS}
   WHERE d.id = named.id`;

/** Extends the claims of batches, or shortens them. */
export async function renewDeferred(db: EntityManager, ids: string[], leaseSeconds: number): Promise<void> {
  await db.query(RENEW, [ids, leaseSeconds]);
}

const DELETE = sql`
  DELETE FROM deferred_batch d
   USING ${NAMED_IDS}
   WHERE d.id = named.id`;

/** Deletes batches whose reports are settled, or left to the rescue. */
export async function deleteDeferred(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(DELETE, [ids]);
}

/** Counts deferred reports and their accounts. */
export async function countDeferred(db: EntityManager): Promise<{ reports: number; accounts: number }> {
  const [row]: [{ reports: number; accounts: number }] = await db.query(
    `SELECT COALESCE(sum(reports), 0)::integer AS reports, count(DISTINCT account_id)::integer AS accounts
       FROM deferred_batch`,
  );
  return row;
}
