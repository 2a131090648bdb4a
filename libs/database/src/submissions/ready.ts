import type { Channel } from '@signalbox/domain/channel';
import { type Lane, LANES_OF } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';

type LaneOf<C extends Channel> = (typeof LANES_OF)[C][number];

/**
 * The table of the ready submissions of each channel. Its key is the lane, then the account or sender that shares it,
 * then the submission.
 */
const TABLE: Record<Channel, string> = { sms: 'ready_sms', chatapp: 'ready_chat' };

/** Lists the lanes where a submission has been ready for a second: its job was lost, or all workers are busy. */
export async function listWaitingLanes<C extends Channel>(
  db: EntityManager,
  channel: C,
): Promise<LaneOf<C>[]> {
  const rows: { lane: LaneOf<C> }[] = await db.query(
    `SELECT l.lane
       FROM unnest($1::text[]) AS l(lane)
      WHERE EXISTS (
        SELECT
          FROM ${TABLE[channel]} q
          JOIN submission s ON s.id = q.id
         WHERE q.lane = l.lane
           AND s.due_at < now() - interval '1 second'
      )`,
    [LANES_OF[channel]],
  );
  return rows.map((row) => row.lane);
}

/** Counts the messages of each lane that their gateways have not taken so far, up to 10,000 a lane. */
export function countWaitingMessages(
  db: EntityManager,
  channel: Channel,
): Promise<{ lane: Lane; count: number }[]> {
  return db.query(
    `SELECT l.lane, (
              SELECT count(*)
                FROM (
                  SELECT
                    FROM message m
                   WHERE m.lane = l.lane
                     AND m.due_at IS NOT NULL
                     AND m.asks IS NULL
                     AND m.throttles > 0
                     AND m.unconfirmed_at IS NULL
                   LIMIT 10000
                ) AS counted
            )::integer AS count
       FROM unnest($1::text[]) AS l(lane)`,
    [LANES_OF[channel]],
  );
}

/** Counts the submissions that are ready in each lane of a channel, up to 10,000 a lane. */
export function countReady(db: EntityManager, channel: Channel): Promise<{ lane: Lane; count: number }[]> {
  return db.query(
    `SELECT l.lane, (
              SELECT count(*)
                FROM (
                  SELECT
                    FROM ${TABLE[channel]} q
                   WHERE q.lane = l.lane
                   LIMIT 10000
                ) AS counted
            )::integer AS count
       FROM unnest($1::text[]) AS l(lane)`,
    [LANES_OF[channel]],
  );
}
