import { COUNTED_ROWS } from '@signalbox/domain/limits';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { countChanged, returning } from '../core/returning.ts';
import { NAMED_IDS, rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { firstIdAtSql } from '../ops/first-id-at.ts';

/*
 * The orphan box: reports under ids of gateways that match no message, and inbound messages of no account. They are
 * tried again at the times of NEXT_TRY and when an id that they may belong to becomes known, and kept for KEPT.
 */

const KEPT = "interval '7 days'";

/** Maximum number of orphans of one gateway; the oldest beyond it go first. */
export const MAX_ORPHANS = 100_000;

const SWEEP_LIMIT = 10_000;

/** A report under a gateway's own id that matches no message, or an inbound message to a number that no account owns. */
export interface NewOrphan {
  id: string;
  gateway: string;
  kind: 'report' | 'inbound';
  gatewayMessageId: string;
  /**
   * The id that makes it match when it becomes known: the reported one, or the one that the gateway's rule makes of
   * it.
   */
  wakeId: string;
  /** The recipient of the message, as the gateway spells it; the business number of an inbound message. */
  recipient: string | null;
  /** Null for a report without a known status, and for an inbound message. */
  status: ReportedStatus | null;
  errCode: string;
  gatewayCode: string | null;
  description: string;
  /** The inbound message; null for a report. */
  content: object | null;
  reportedAt: Date;
}

/** A kept orphan. */
export interface Orphan extends Omit<NewOrphan, 'wakeId'> {
  receivedAt: Date;
  /** When it is tried again; null when only an operator, or an id that becomes known, moves it. */
  nextTryAt: Date | null;
}

const ORPHANS = rowset('given', {
  id: 'uuid',
  gateway: 'text',
  kind: 'text',
  gateway_message_id: 'text',
  wake_id: 'text',
  recipient: 'text',
  status: 'text',
  err_code: 'text',
  gateway_code: 'text',
  description: 'text',
  content: 'jsonb',
  reported_at: 'timestamptz',
});

const INSERT = sql`
  INSERT INTO orphan_report (${ORPHANS.columns}, next_try_at)
  SELECT given.*,
         CASE WHEN given.kind = 'inbound' OR given.status IS NOT NULL THEN now() + interval '1 second' END
    FROM ${ORPHANS.sorted('gateway, gateway_message_id, recipient')}
  ON CONFLICT DO NOTHING`;

/**
 * Keeps orphans. A repeat of an inbound message adds nothing; equal reports may be about different messages, and each
 * is kept. A report without a status is never tried again.
 */
export async function insertOrphans(db: EntityManager, orphans: readonly NewOrphan[]): Promise<void> {
  if (orphans.length > 0) await db.query(INSERT, ORPHANS.values(orphans));
}

/** Orphans that one new id makes due: a gateway that gives all messages one id may have as many as the box holds. */
const MAX_WOKEN = 100;

/**
 * Makes reports due that wait for one of the ids of `given`, and whose recipient agrees or is unknown. A report that
 * comes at the same moment is tried again a second later.
 */
export const WAKE_ORPHANS = sql`
  UPDATE orphan_report o
     SET next_try_at = now()
    FROM (
      SELECT waiting.id
        FROM given
       CROSS JOIN LATERAL (
         SELECT id
           FROM orphan_report
          WHERE gateway = given.gateway
            AND wake_id = given.gateway_message_id
            AND COALESCE(right(recipient, 7), '') = ANY(ARRAY[right(given.recipient, 7), ''])
            AND kind = 'report'
            AND status IS NOT NULL
          LIMIT ${MAX_WOKEN}
       ) AS waiting
       ORDER BY waiting.id
    ) AS woken
   WHERE o.id = woken.id`;

const COLUMNS = sql`
  id, gateway, kind, gateway_message_id AS "gatewayMessageId", recipient, status, err_code AS "errCode",
  gateway_code AS "gatewayCode", description, content, reported_at AS "reportedAt",
  received_at AS "receivedAt", next_try_at AS "nextTryAt"`;

/** A process that dies between a claim and its end delays the orphans by this. */
const LEASE = "interval '30 seconds'";

const CLAIM = sql`
  UPDATE orphan_report
     SET next_try_at = now() + ${LEASE}
   WHERE id IN (
     SELECT id
       FROM orphan_report
      WHERE next_try_at <= now()
        AND kind = $1
      ORDER BY next_try_at
      LIMIT $2
        FOR UPDATE SKIP LOCKED
   )
  RETURNING ${COLUMNS}`;

/** Claims due orphans of a kind. Delete those that found their message, and postpone the others. */
export function claimDueOrphans(db: EntityManager, kind: Orphan['kind'], limit: number): Promise<Orphan[]> {
  return returning(db, CLAIM, [kind, limit]);
}

/**
 * 1 s, 10 s, 1 min, 10 min and 1 h after it was received; then each hour for an inbound message, whose number may be
 * assigned to an account at any time.
 */
const NEXT_TRY = sql`
  CASE
    WHEN now() < received_at + interval '10 seconds' THEN received_at + interval '10 seconds'
    WHEN now() < received_at + interval '1 minute' THEN received_at + interval '1 minute'
    WHEN now() < received_at + interval '10 minutes' THEN received_at + interval '10 minutes'
    WHEN now() < received_at + interval '1 hour' THEN received_at + interval '1 hour'
    WHEN kind = 'inbound' THEN now() + interval '1 hour'
  END`;

const POSTPONE = sql`
  UPDATE orphan_report o
     SET next_try_at = ${NEXT_TRY}
    FROM ${NAMED_IDS}
   WHERE o.id = named.id`;

/** Sets the next try of claimed orphans, none after the last. */
export async function postponeOrphans(db: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.query(POSTPONE, [ids]);
}

const DELETE = sql`
  DELETE FROM orphan_report o
   USING ${NAMED_IDS}
   WHERE o.id = named.id`;

/** Deletes orphans that found their message, or that an operator discards; returns their number. */
export function deleteOrphans(db: EntityManager, ids: readonly string[]): Promise<number> {
  return countChanged(db, DELETE, [ids]);
}

/** Locks an orphan until the end of the transaction. */
export async function lockOrphan(db: EntityManager, id: string): Promise<Orphan | undefined> {
  const [row]: Orphan[] = await db.query(
    `SELECT ${COLUMNS}
       FROM orphan_report
      WHERE id = $1
        FOR UPDATE`,
    [id],
  );
  return row;
}

/** Lists a page of orphans, newest first, before the id `before`: all, or those of a gateway or a kind. */
export function listOrphans(
  db: EntityManager,
  { gateway = null, kind = null }: { gateway?: string | null; kind?: string | null },
  limit: number,
  before?: string,
): Promise<Orphan[]> {
  return db.query(
    `SELECT ${COLUMNS}
       FROM orphan_report
      WHERE ($2::uuid IS NULL OR id < $2)
        AND ($3::text IS NULL OR gateway = $3)
        AND ($4::text IS NULL OR kind = $4)
      ORDER BY id DESC
      LIMIT $1`,
    [limit, before ?? null, gateway, kind],
  );
}

/** The gateways that have orphans, each found by one search of the index. */
const OWN_GATEWAYS = sql`
  own AS (
    (SELECT gateway FROM orphan_report ORDER BY gateway LIMIT 1)
    UNION ALL
    SELECT (SELECT gateway FROM orphan_report o WHERE o.gateway > own.gateway ORDER BY gateway LIMIT 1)
      FROM own
     WHERE own.gateway IS NOT NULL
  )`;

const COUNT = sql`
  WITH RECURSIVE ${OWN_GATEWAYS}
  SELECT own.gateway, newest.kind, count(*)::integer AS count
    FROM own
   CROSS JOIN LATERAL (
     SELECT kind
       FROM orphan_report
      WHERE gateway = own.gateway
      ORDER BY id DESC
      LIMIT ${COUNTED_ROWS}
   ) AS newest
   GROUP BY own.gateway, newest.kind`;

/** Counts the orphans of each gateway and kind, of each gateway the newest 10,000 at most. */
export function countOrphans(db: EntityManager): Promise<{ gateway: string; kind: string; count: number }[]> {
  return db.query(COUNT);
}

const SWEEP = sql`
  WITH RECURSIVE ${OWN_GATEWAYS}, gone AS (
    (SELECT id
       FROM orphan_report
      WHERE id < ${firstIdAtSql(`now() - ${KEPT}`)}
      LIMIT ${SWEEP_LIMIT})
    UNION ALL
    (SELECT excess.id
       FROM own
      CROSS JOIN LATERAL (
        SELECT id
          FROM orphan_report
         WHERE gateway = own.gateway
         ORDER BY id DESC
        OFFSET ${MAX_ORPHANS}
         LIMIT ${SWEEP_LIMIT}
      ) AS excess
      LIMIT ${SWEEP_LIMIT})
  )
  DELETE FROM orphan_report o
   USING gone
   WHERE o.id = gone.id`;

/**
 * Deletes orphans that are older than a week, and the oldest of a gateway beyond MAX_ORPHANS, a bounded number per
 * call.
 *
 * @returns their number
 */
export function sweepOrphans(db: EntityManager): Promise<number> {
  return countChanged(db, SWEEP);
}
