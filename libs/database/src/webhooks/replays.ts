import { firstIdAt } from '@signalbox/domain/id-time';
import type { EntityManager } from 'typeorm';
import type { PushKey, PushOutcome } from './pushes.ts';

type EndStatus = Exclude<PushOutcome['status'], 'WAITING'>;

/** Pushes of a webhook that are to be made again, and how far that is. */
export interface Replay {
  id: string;
  webhookId: string;
  status: 'RUNNING' | 'DONE' | 'CANCELLED';
  statuses: EndStatus[];
  from: Date;
  to: Date;
  ratePerSecond: number;
  /** Counted when it began; MAX_COUNTED may stand for more. */
  total: number;
  replayed: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A preview counts no further. */
export const MAX_COUNTED = 100_000;

/** A pass of a replay looks at so many pushes at most. */
const MAX_EXAMINED = 5_000;

/** A push that is made again starts its schedule anew, under the same id; attempts go on counting. */
const AGAIN = `status = 'WAITING', next_attempt_at = now(), attempts_before = p.attempts, starts = p.attempts, error = 'replayed', finished_at = NULL`;

/** Somebody calls the push now, or died doing so a moment ago. */
const IS_CLAIMED = `(p.starts > p.attempts OR p.error = 'in_flight')`;

/**
 * Has one push made again: one that has ended starts anew, one that waits is due now. One that is being called stays as it is.
 *
 * @returns false when it is being called, undefined when the account has no such push
 */
export async function replayPush(
  db: EntityManager,
  accountId: string,
  { webhookId, reportId }: PushKey,
): Promise<boolean | undefined> {
  const isOurs = `p.webhook_id = $1 AND p.report_id = $2 AND p.account_id = $3
    AND EXISTS (SELECT FROM webhook w WHERE w.id = p.webhook_id AND w.account_id = $3 AND w.deleted_at IS NULL)`;
  const key = [webhookId, reportId, accountId];
  const [ended] = (await db.query(
    `UPDATE push p SET ${AGAIN} WHERE ${isOurs} AND p.status <> 'WAITING' RETURNING p.report_id`,
    key,
  )) as [object[], number];
  if (ended.length > 0) return true;
  const [waiting] = (await db.query(
    `UPDATE push p SET next_attempt_at = LEAST(p.next_attempt_at, now()) WHERE ${isOurs} AND p.status = 'WAITING' AND NOT ${IS_CLAIMED} RETURNING p.report_id`,
    key,
  )) as [object[], number];
  if (waiting.length > 0) return true;
  const found: object[] = await db.query(`SELECT FROM push p WHERE ${isOurs}`, key);
  return found.length > 0 ? false : undefined;
}

/** Which pushes a replay is about: by when their reports came. */
export type ReplayRange = Pick<Replay, 'webhookId' | 'statuses' | 'from' | 'to'>;

/** How many pushes are in a range now, up to MAX_COUNTED. */
export async function countReplayable(
  db: EntityManager,
  { webhookId, statuses, from, to }: ReplayRange,
): Promise<number> {
  const [row] = (await db.query(
    `SELECT count(*)::integer AS count
       FROM (SELECT FROM push p WHERE webhook_id = $1 AND report_id >= $2 AND report_id < $3
                AND status = ANY($4::text[]) ${onlyUndelivered(statuses)} LIMIT ${MAX_COUNTED}) AS counted`,
    [webhookId, firstIdAt(from.getTime()), firstIdAt(to.getTime()), statuses],
  )) as [{ count: number }];
  return row.count;
}

/** Stores a replay; workers carry it out. */
export async function insertReplay(db: EntityManager, accountId: string, replay: Replay): Promise<void> {
  await db.query(
    `INSERT INTO push_replay (id, account_id, webhook_id, status, statuses, from_at, to_at, after_id, upto_id, rate_per_second, total, created_at)
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

const COLUMNS = `id, webhook_id AS "webhookId", status, statuses, from_at AS "from", to_at AS "to", rate_per_second AS "ratePerSecond", total,
  replayed, created_at AS "createdAt", finished_at AS "finishedAt"`;

/** One replay of a webhook of an account; undefined when there is none. */
export async function findReplay(
  db: EntityManager,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<Replay | undefined> {
  const [replay]: Replay[] = await db.query(
    `SELECT ${COLUMNS} FROM push_replay WHERE id = $1 AND webhook_id = $2 AND account_id = $3`,
    [id, webhookId, accountId],
  );
  return replay;
}

/** Ends a replay early. What it has set waiting already is made. One that has ended stays as it is. */
export async function cancelReplay(
  db: EntityManager,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<void> {
  await db.query(
    `UPDATE push_replay SET status = 'CANCELLED', finished_at = now() WHERE id = $1 AND webhook_id = $2 AND account_id = $3 AND status = 'RUNNING'`,
    [id, webhookId, accountId],
  );
}

/**
 * Takes the replays that run a step further: each sets as many of its pushes waiting as its rate allows since its last step. A
 * replay that another worker is at is passed over, and one whose webhook was deleted is cancelled.
 */
export async function advanceReplays(db: EntityManager): Promise<void> {
  for (const isDelivered of [false, true]) await db.query(advance(isDelivered), [isDelivered]);
}

const advance = (isDelivered: boolean): string => `
  WITH running AS MATERIALIZED (
    SELECT r.*, w.deleted_at, GREATEST(1, ceil(r.rate_per_second * LEAST(extract(epoch FROM now() - r.advanced_at), 2)))::integer AS step
      FROM push_replay r JOIN webhook w ON w.id = r.webhook_id
     WHERE r.status = 'RUNNING' AND ('DELIVERED' = ANY(r.statuses)) = $1 AND r.advanced_at <= now() - interval '300 milliseconds'
     ORDER BY r.id LIMIT 50 FOR UPDATE OF r SKIP LOCKED
  ), seen AS MATERIALIZED (
    SELECT running.id, p.webhook_id, p.report_id, p.status = ANY(running.statuses) AS is_wanted
      FROM running, LATERAL (SELECT webhook_id, report_id, status FROM push p
                              WHERE p.webhook_id = running.webhook_id AND p.report_id > running.after_id AND p.report_id < running.upto_id
                                    ${isDelivered ? '' : `AND status <> 'DELIVERED'`}
                              ORDER BY p.report_id LIMIT ${MAX_EXAMINED}) AS p
     WHERE running.deleted_at IS NULL
  ), wanted AS MATERIALIZED (
    SELECT * FROM (SELECT seen.*, row_number() OVER (PARTITION BY id ORDER BY report_id) AS place FROM seen WHERE is_wanted) AS placed
     WHERE place <= (SELECT step FROM running WHERE running.id = placed.id)
  ), again AS (
    UPDATE push p SET ${AGAIN} FROM wanted
     WHERE p.webhook_id = wanted.webhook_id AND p.report_id = wanted.report_id AND p.status <> 'WAITING' RETURNING wanted.id
  ), reached AS (
    SELECT running.id, running.deleted_at, running.step,
           (SELECT count(*)::integer FROM again WHERE again.id = running.id) AS replayed,
           (SELECT count(*)::integer FROM wanted WHERE wanted.id = running.id) AS taken,
           (SELECT count(*)::integer FROM seen WHERE seen.id = running.id) AS seen,
           (SELECT report_id FROM wanted WHERE wanted.id = running.id ORDER BY place DESC LIMIT 1) AS last_wanted,
           (SELECT report_id FROM seen WHERE seen.id = running.id ORDER BY report_id DESC LIMIT 1) AS last_seen
      FROM running
  )
  UPDATE push_replay r
     SET replayed = r.replayed + reached.replayed, advanced_at = now(),
         after_id = COALESCE(CASE WHEN reached.taken >= reached.step THEN reached.last_wanted ELSE reached.last_seen END, r.after_id),
         status = CASE WHEN reached.deleted_at IS NOT NULL THEN 'CANCELLED' WHEN reached.seen = 0 THEN 'DONE' ELSE r.status END,
         finished_at = CASE WHEN reached.deleted_at IS NOT NULL OR reached.seen = 0 THEN now() END
    FROM reached WHERE r.id = reached.id`;

function onlyUndelivered(statuses: readonly EndStatus[]): string {
  return statuses.includes('DELIVERED') ? '' : `AND status <> 'DELIVERED'`;
}
