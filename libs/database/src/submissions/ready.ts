import type { Channel } from '@signalbox/domain/channel';
import { type Lane, LANES_OF, SMS_LANES } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { listReady } from './ready-batches.ts';
import { READY } from './ready-tables.ts';

type LaneOf<C extends Channel> = (typeof LANES_OF)[C][number];

/** Milliseconds for which one pass moves batches to `ready_sms`; the next pass moves the rest. */
const LIST_MS = 1_000;

/**
 * Lists the lanes where a submission has been ready for a second: its job was lost, or all workers are busy. First moves
 * batches that are due to `ready_sms`. Reads the ready rows in the order of their index, because a bitmap scan would read
 * all deleted ones again until the next vacuum, and looks up their submissions by key, because a join may read all
 * submissions.
 */
export async function listStarvedLanes<C extends Channel>(
  db: EntityManager,
  channel: C,
): Promise<LaneOf<C>[]> {
  const endAt = performance.now() + LIST_MS;
  if (channel === 'sms') while ((await listReady(db, SMS_LANES, 'due')) && performance.now() < endAt);
  const { table, sharedBy } = READY[channel];
  const rows: { lane: LaneOf<C> }[] = await db.query(
    `SELECT u.lane
       FROM unnest($1::text[]) AS u(lane)
      WHERE EXISTS (
        SELECT
          FROM (
            SELECT id
              FROM ${table}
             WHERE lane = u.lane
             ORDER BY ${sharedBy}, id
            OFFSET 0
          ) AS q
         CROSS JOIN LATERAL (
           SELECT due_at
             FROM submission
            WHERE id = q.id
           OFFSET 0
         ) AS s
         WHERE s.due_at < now() - interval '1 second'
      )`,
    [LANES_OF[channel]],
  );
  return rows.map((row) => row.lane);
}

/**
 * Counts the messages of each lane that their gateways have not taken so far, up to 10,000 a lane. Parked ones, which
 * wait for an operator, are not read: there may be any number of them.
 */
export function countWaitingMessages(
  db: EntityManager,
  channel: Channel,
): Promise<{ lane: Lane; count: number }[]> {
  return db.query(
    `SELECT u.lane, (
              SELECT count(*)
                FROM (
                  SELECT
                    FROM message m
                   WHERE m.lane = u.lane
                     AND m.due_at < 'infinity'
                     AND m.asks IS NULL
                     AND m.throttles > 0
                     AND m.unconfirmed_at IS NULL
                   LIMIT 10000
                ) AS counted
            )::integer AS count
       FROM unnest($1::text[]) AS u(lane)`,
    [LANES_OF[channel]],
  );
}

/** Counts the submissions that are ready in each lane of a channel, up to 10,000 a lane. */
export function countReady(db: EntityManager, channel: Channel): Promise<{ lane: Lane; count: number }[]> {
  return db.query(
    `SELECT u.lane, LEAST(10000, (
              SELECT count(*)
                FROM (
                  SELECT
                    FROM ${READY[channel].table} q
                   WHERE q.lane = u.lane
                   LIMIT 10000
                ) AS counted
            )${channel === 'sms' ? COUNT_OVERDUE : ''})::integer AS count
       FROM unnest($1::text[]) AS u(lane)`,
    [LANES_OF[channel]],
  );
}

/** Adds the submissions of batches that should have moved to `ready_sms` a second ago. */
const COUNT_OVERDUE = ` + (
              SELECT COALESCE(sum(cardinality(ids)), 0)
                FROM (
                  SELECT ids
                    FROM ready_batch
                   WHERE lane = u.lane
                     AND due_at < now() - interval '1 second'
                   ORDER BY due_at, id
                   LIMIT 10000
                ) AS overdue
            )`;
