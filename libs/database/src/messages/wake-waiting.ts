import type { Lane } from '@signalbox/domain/lane';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { guard, sql } from '../core/sql.ts';
import { IS_THROTTLED } from './throttled.ts';

/**
 * A message that no gateway was chosen for has none, and a time beyond that of any claim. Those that a gateway throttled
 * for longer are not read. $1 lanes, $2 the most messages of each, $3 seconds within which they are due.
 */
const WAKE = sql`
  WITH woken AS (
    UPDATE message m
       SET claimed_until = now(), due_at = now() + make_interval(secs => ${LEASE_SECONDS})
      FROM unnest($1::text[]) AS wanted(lane)
     CROSS JOIN LATERAL (
       SELECT submission_id, n
         FROM message
        WHERE lane = wanted.lane
          AND asks IS NULL
          AND due_at > now() + make_interval(secs => ${LEASE_SECONDS})
          AND due_at <= now() + make_interval(secs => $3)
          AND ${guard(sql`
            gateway IS NULL
            AND ${IS_THROTTLED}`)}
        ORDER BY due_at
        LIMIT $2
          FOR UPDATE SKIP LOCKED
     ) AS waiting
     WHERE m.submission_id = waiting.submission_id
       AND m.n = waiting.n
    RETURNING m.lane, m.submission_id
  )
  SELECT lane, count(*)::integer AS messages, array_agg(DISTINCT submission_id) AS "submissionIds"
    FROM woken
   GROUP BY lane`;

/** Messages of a lane that were made due. */
export interface Woken<L extends Lane> {
  lane: L;
  messages: number;
  submissionIds: string[];
}

/**
 * Makes messages due that wait because no gateway took any, and would wait for longer than a claim lasts, but be due
 * within `withinMs`: the earliest first, at most `limit` of each lane. The rescue finds them if their retry is lost.
 */
export function wakeWaiting<L extends Lane>(
  db: EntityManager,
  lanes: readonly L[],
  { limit, withinMs }: { limit: number; withinMs: number },
): Promise<Woken<L>[]> {
  return db.query(WAKE, [lanes, limit, withinMs / 1_000]);
}
