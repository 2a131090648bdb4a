import { firstIdAt } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import type { PushKey, PushOutcome } from './pushes.ts';
import { MAX_REPLAYS } from './replay-limit.ts';

type EndStatus = Exclude<PushOutcome['status'], 'WAITING'>;

/** A replay: ended pushes of a webhook that are made again, and its progress. */
export interface Replay {
  id: string;
  webhookId: string;
  status: 'RUNNING' | 'DONE' | 'CANCELLED';
  statuses: EndStatus[];
  from: Date;
  to: Date;
  ratePerSecond: number;
  /** Counted when it began, up to MAX_COUNTED. */
  total: number;
  replayed: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A preview counts up to this. */
export const MAX_COUNTED = 100_000;

/** Maximum number of pushes that a step of a replay reads. */
const MAX_EXAMINED = 5_000;

/** Limit of the pushes per second of a replay. */
const MAX_RATE = 10_000;

/** Makes a push again: its schedule restarts under the same id, and its attempts continue to count. */
const SET_AGAIN = sql`
  SET status = 'WAITING',
      next_attempt_at = now(),
      attempts_before = p.attempts,
      starts = p.attempts,
      error = 'replayed',
      finished_at = NULL`;

/** True while a worker calls the push, and until the end of its lease after it died doing so. */
const IS_CLAIMED = `((p.starts > p.attempts OR p.error = 'in_flight') AND p.next_attempt_at > now())`;

const IS_OURS = sql`
  p.webhook_id = $1
  AND p.report_id = $2
  AND p.account_id = $3
  AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
  AND EXISTS (SELECT FROM webhook w WHERE w.id = p.webhook_id AND w.account_id = $3 AND w.deleted_at IS NULL)`;

/** The oldest report. Pushes are deleted by week, and those of reports that are deleted are not made again. */
const OLDEST_REPORT = `(SELECT id FROM message_event ORDER BY id LIMIT 1)`;

const REPLAY_ENDED = sql`
  UPDATE push p
     ${SET_AGAIN}
   WHERE ${IS_OURS}
     AND p.status <> 'WAITING'
  RETURNING p.report_id`;

const HASTEN_WAITING = sql`
  UPDATE push p
     SET next_attempt_at = LEAST(p.next_attempt_at, now())
   WHERE ${IS_OURS}
     AND p.status = 'WAITING'
     AND NOT ${IS_CLAIMED}
  RETURNING p.report_id`;

const FIND_PUSH = sql`
  SELECT
    FROM push p
   WHERE ${IS_OURS}`;

/**
 * Replays one push: an ended one restarts, a waiting one becomes due. One under way stays as it is.
 *
 * @returns false when it is being called, undefined when the account has no such push
 */
export async function replayPush(
  db: EntityManager,
  accountId: string,
  { webhookId, reportId }: PushKey,
): Promise<boolean | undefined> {
  const key = [webhookId, reportId, accountId];
  if ((await returning(db, REPLAY_ENDED, key)).length > 0) return true;
  if ((await returning(db, HASTEN_WAITING, key)).length > 0) return true;
  const found: object[] = await db.query(FIND_PUSH, key);
  return found.length > 0 ? false : undefined;
}

/** The pushes of a replay, by the time at which their reports came. */
export type ReplayRange = Pick<Replay, 'webhookId' | 'statuses' | 'from' | 'to'>;

/** Counts the pushes in a range, up to MAX_COUNTED. */
export async function countReplayable(
  db: EntityManager,
  { webhookId, statuses, from, to }: ReplayRange,
): Promise<number> {
  const [row]: [{ count: number }] = await db.query(
    `SELECT count(*)::integer AS count
       FROM (
         SELECT
           FROM push p
          WHERE webhook_id = $1
            AND report_id >= GREATEST($2::uuid, ${OLDEST_REPORT})
            AND report_id < $3
            AND status = ANY($4::text[])
            AND ${ofStatus(statuses.includes('DELIVERED'))}
          LIMIT ${MAX_COUNTED}
       ) AS counted`,
    [webhookId, firstIdAt(from.getTime()), firstIdAt(to.getTime()), statuses],
  );
  return row.count;
}

/** Inserts a replay; workers carry it out. */
export async function insertReplay(db: EntityManager, accountId: string, replay: Replay): Promise<void> {
  await db.query(
    `INSERT INTO push_replay (id, account_id, webhook_id, status, statuses, from_at, to_at, after_id, upto_id,
                              rate_per_second, total, created_at)
     VALUES ($1, $2, $3, 'RUNNING', $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      replay.id,
      accountId,
      replay.webhookId,
      replay.statuses,
      replay.from,
      replay.to,
      firstIdAt(replay.from.getTime()),
      firstIdAt(replay.to.getTime()),
      replay.ratePerSecond,
      replay.total,
      replay.createdAt,
    ],
  );
}

const COLUMNS = sql`
  id, webhook_id AS "webhookId", status, statuses, from_at AS "from", to_at AS "to",
  rate_per_second AS "ratePerSecond", total, replayed, created_at AS "createdAt", finished_at AS "finishedAt"`;

const FIND_REPLAY = sql`
  SELECT ${COLUMNS}
    FROM push_replay
   WHERE id = $1
     AND webhook_id = $2
     AND account_id = $3`;

/** Finds one replay of a webhook of an account. */
export async function findReplay(
  db: EntityManager,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<Replay | undefined> {
  const [replay]: Replay[] = await db.query(FIND_REPLAY, [id, webhookId, accountId]);
  return replay;
}

const LIST_REPLAYS = sql`
  SELECT ${COLUMNS}
    FROM push_replay
   WHERE webhook_id = $1
     AND account_id = $2
     AND ($4::uuid IS NULL OR id < $4)
   ORDER BY id DESC
   LIMIT $3`;

/** Lists a page of the replays of a webhook, newest first, before the id `before`. */
export function listReplays(
  db: EntityManager,
  accountId: string,
  webhookId: string,
  limit: number,
  before: string | null = null,
): Promise<Replay[]> {
  return db.query(LIST_REPLAYS, [webhookId, accountId, limit, before]);
}

/** Cancels a replay. The pushes that it has made due are still called. One that has ended stays as it is. */
export async function cancelReplay(
  db: EntityManager,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<void> {
  await db.query(
    `UPDATE push_replay
        SET status = 'CANCELLED', finished_at = now()
      WHERE id = $1
        AND webhook_id = $2
        AND account_id = $3
        AND status = 'RUNNING'`,
    [id, webhookId, accountId],
  );
}

/**
 * Advances the running replays by a step: each makes as many of its pushes due as its rate allows since its last step.
 * Skips locked replays, and pushes that were replayed MAX_REPLAYS times; cancels a replay whose webhook was deleted.
 *
 * @returns false when none is running
 */
export async function advanceReplays(db: EntityManager): Promise<boolean> {
  const kinds: { withDelivered: boolean }[] = await db.query(RUNNING_KINDS);
  for (const { withDelivered } of kinds) await advanceReplaysOf(db, withDelivered);
  return kinds.length > 0;
}

const RUNNING_KINDS = sql`
  SELECT DISTINCT 'DELIVERED' = ANY(statuses) AS "withDelivered"
    FROM push_replay
   WHERE status = 'RUNNING'`;

/**
 * Advances the running replays of one kind: those that also repeat delivered pushes, or the others. The statement opens
 * every weekly partition of pushes, which takes milliseconds even when nothing is to be done.
 */
export async function advanceReplaysOf(db: EntityManager, withDelivered: boolean): Promise<void> {
  await db.query(withDelivered ? ADVANCE_ALL : ADVANCE_UNDELIVERED, [withDelivered]);
}

/** The condition of the partial index of undelivered pushes. */
function ofStatus(withDelivered: boolean): string {
  return withDelivered ? 'true' : `status <> 'DELIVERED'`;
}

/** The next pushes of a replay, of any status: as many as a step reads at most. */
const examined = (withDelivered: boolean): string => sql`
  (
    SELECT webhook_id, report_id, status
      FROM push p
     WHERE p.webhook_id = running.webhook_id
       AND p.report_id > running.after_id
       AND p.report_id < running.upto_id
       AND p.report_id >= ${OLDEST_REPORT}
       AND ${ofStatus(withDelivered)}
     ORDER BY p.report_id
     LIMIT ${MAX_EXAMINED}
  ) AS examined`;

/** Locks the replays to advance. `step` is what the rate allows since the last step, of two seconds at most. */
const RUNNING = sql`
  running AS MATERIALIZED (
    SELECT pr.*, w.deleted_at,
           GREATEST(1, ceil(
             LEAST(pr.rate_per_second, ${MAX_RATE}) * LEAST(extract(epoch FROM now() - pr.advanced_at), 2)
           ))::integer AS step
      FROM push_replay pr
      JOIN webhook w ON w.id = pr.webhook_id
     WHERE pr.status = 'RUNNING'
       AND ('DELIVERED' = ANY(pr.statuses)) = $1
       AND pr.advanced_at <= now() - interval '300 milliseconds'
     ORDER BY pr.advanced_at, pr.id
     LIMIT 50
       FOR UPDATE OF pr SKIP LOCKED
  )`;

/** Makes the wanted pushes due, and counts them by replay. */
const MAKE_AGAIN = sql`
  again AS (
    UPDATE push p
       ${SET_AGAIN},
           replays = p.replays + 1
      FROM wanted
     WHERE p.webhook_id = wanted.webhook_id
       AND p.report_id = wanted.report_id
       AND p.status <> 'WAITING'
       AND p.replays < ${MAX_REPLAYS}
    RETURNING wanted.id
  ), made AS (
    SELECT id, count(*)::integer AS count
      FROM again
     GROUP BY id
  ), taken AS (
    SELECT id, count(*) AS count, (array_agg(report_id ORDER BY report_id DESC))[1] AS last_id
      FROM wanted
     GROUP BY id
  )`;

/**
 * Makes the oldest wanted pushes of each replay due, and moves it on. A step reads pushes until it has enough; only one
 * that has too few reads them again, to find its end. $1 replays of delivered pushes too, or of others only.
 */
const advance = (withDelivered: boolean): string => sql`
  WITH ${RUNNING}, wanted AS MATERIALIZED (
    SELECT running.id, p.webhook_id, p.report_id
      FROM running
     CROSS JOIN LATERAL (
       SELECT webhook_id, report_id
         FROM ${examined(withDelivered)}
        WHERE status = ANY(running.statuses)
        ORDER BY report_id
        LIMIT running.step
     ) AS p
     WHERE running.deleted_at IS NULL
     ORDER BY p.webhook_id, p.report_id -- as outcomes of pushes lock them
  ), ${MAKE_AGAIN}, reached AS (
    -- a full step ends at its last push, another one at the last that was read; one that reads nothing is the last
    SELECT running.id, COALESCE(made.count, 0) AS replayed,
           CASE WHEN taken.count >= step THEN taken.last_id ELSE further.last_id END AS after_id,
           CASE
             WHEN deleted_at IS NOT NULL THEN 'CANCELLED'
             WHEN taken.count >= step OR further.last_id IS NOT NULL THEN 'RUNNING'
             ELSE 'DONE'
           END AS status
      FROM running
      LEFT JOIN made ON made.id = running.id
      LEFT JOIN taken ON taken.id = running.id
      LEFT JOIN LATERAL (
        SELECT report_id AS last_id
          FROM ${examined(withDelivered)}
         WHERE deleted_at IS NULL
           AND COALESCE(taken.count, 0) < step
         ORDER BY report_id DESC
         LIMIT 1
      ) AS further ON true
  )
  UPDATE push_replay pr
     SET replayed = pr.replayed + reached.replayed,
         advanced_at = now(),
         after_id = COALESCE(reached.after_id, pr.after_id),
         status = reached.status,
         finished_at = CASE WHEN reached.status <> 'RUNNING' THEN now() END
    FROM reached
   WHERE pr.id = reached.id`;

const ADVANCE_UNDELIVERED = advance(false);
const ADVANCE_ALL = advance(true);
