import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/** Messages of a lane that wait because no gateway takes them. */
export interface WaitingMessages {
  lane: Lane;
  /** Counted up to 10,000. */
  messages: number;
}

/** A message that was given back before it was submitted, and never throttled: no gateway was asked. */
const COUNT_WAITING = sql`
  SELECT wanted.lane, (
           SELECT count(*)
             FROM (
               SELECT
                 FROM message m
                WHERE m.lane = wanted.lane
                  AND m.asks IS NULL
                  AND m.due_at IS NOT NULL
                  AND m.due_at < now() + interval '1 minute'
                  AND m.status = 'PENDING'
                  AND m.held_until IS NULL
                  AND m.throttled_at IS NULL
                  AND m.throttles > 0
                LIMIT 10000
             ) AS counted
         )::integer AS messages
    FROM unnest($1::text[]) AS wanted(lane)`;

/** Counts the messages that no gateway takes now. One is counted from 11 seconds after its claim on. */
export function countWaitingMessages(db: EntityManager, lanes: readonly Lane[]): Promise<WaitingMessages[]> {
  return db.query(COUNT_WAITING, [lanes]);
}
