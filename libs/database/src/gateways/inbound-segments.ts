import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';

/** Segments of one message share this. Phones choose references at will, so that two messages may share it too. */
export interface InboundKey {
  gateway: string;
  sender: string;
  recipient: string;
  referenceBits: number;
  reference: number;
  total: number;
}

/** A segment of an inbound message, in the set that it belongs to. */
export interface StoredSegment extends InboundKey {
  setId: string;
  /** Counted from 1. */
  position: number;
  /** Empty when the gateway names none. */
  gatewayMessageId: string;
  /** UTF-16, little-endian: a segment may end within a surrogate pair. */
  body: Buffer;
  sentAt: Date;
  receivedAt: Date;
  /** Time of the segment that completed its set, or of its hand-over without the rest; null before. */
  closedAt: Date | null;
}

/** A segment, before it is in a set. */
export type NewSegment = Omit<StoredSegment, 'setId' | 'receivedAt' | 'closedAt'>;

/** Locks a key until the end of the transaction, also when it has no segment yet. */
export async function lockInboundKey(db: EntityManager, key: InboundKey): Promise<void> {
  const { gateway, sender, recipient, referenceBits, reference, total } = key;
  const text = JSON.stringify([gateway, sender, recipient, referenceBits, reference, total]);
  await db.query(`SELECT pg_advisory_xact_lock(hashtextextended('inbound ' || $1::text, 0))`, [text]);
}

const COLUMNS = sql`
  set_id AS "setId", position, gateway, sender, recipient, reference_bits AS "referenceBits", reference, total,
  gateway_message_id AS "gatewayMessageId", body, sent_at AS "sentAt", received_at AS "receivedAt",
  closed_at AS "closedAt"`;

/** Rows of a key that came in the last 24 hours; parameters 1 to 6 are the key. */
const OF_KEY = sql`
  s.gateway = $1
  AND s.sender = $2
  AND s.recipient = $3
  AND s.reference_bits = $4
  AND s.reference = $5
  AND s.total = $6
  AND s.received_at > now() - interval '24 hours'`;

/** Time in which the same text of the same writer is a repeat, where the gateway names no id. */
const REPEAT = "interval '2 minutes'";

/** The segments of the oldest set of a key that a condition on its segments `s` selects; the condition begins with AND. */
const findSet = (condition: string): string => sql`
  SELECT ${COLUMNS}
    FROM inbound_segment
   WHERE set_id = (
     SELECT s.set_id
       FROM inbound_segment s
      WHERE ${OF_KEY}
        ${condition}
      ORDER BY s.received_at, s.set_id
      LIMIT 1
   )
   ORDER BY position`;

const FIND_REPEATED = findSet(sql`
  AND s.position = $7
  AND s.body = $8
  AND CASE
        WHEN $9::text <> '' THEN s.gateway_message_id = $9
        WHEN s.closed_at IS NULL THEN true
        ELSE s.received_at > now() - ${REPEAT}
             AND NOT EXISTS (
                   SELECT
                     FROM inbound_segment later
                    WHERE s.total = 1
                      AND later.gateway = s.gateway
                      AND later.sender = s.sender
                      AND later.recipient = s.recipient
                      AND later.reference_bits = s.reference_bits
                      AND later.reference = s.reference
                      AND later.total = s.total
                      AND (later.received_at, later.set_id) > (s.received_at, s.set_id)
                      AND later.body <> s.body
                 )
      END`);

/**
 * Finds the segments of the set that has this segment already: the same text at the same position, with the same id.
 * Without an id that is so while the set is open, and for two minutes, since phones use references again; for a message
 * alone only until its writer writes something else, as STOP, START and STOP.
 */
export function findRepeatedSet(
  db: EntityManager,
  { gateway, sender, recipient, referenceBits, reference, total, ...segment }: NewSegment,
): Promise<StoredSegment[]> {
  const { position, body, gatewayMessageId } = segment;
  const key = [gateway, sender, recipient, referenceBits, reference, total];
  return db.query(FIND_REPEATED, [...key, position, body, gatewayMessageId]);
}

const FIND_OPEN = findSet(sql`
  AND s.closed_at IS NULL
  AND NOT EXISTS (
        SELECT
          FROM inbound_segment taken
         WHERE taken.set_id = s.set_id
           AND taken.position = $7
      )`);

/** Finds the segments of the oldest open set of a key that lacks a position. One that has it is another message. */
export function findOpenSet(
  db: EntityManager,
  { gateway, sender, recipient, referenceBits, reference, total }: InboundKey,
  position: number,
): Promise<StoredSegment[]> {
  return db.query(FIND_OPEN, [gateway, sender, recipient, referenceBits, reference, total, position]);
}

const SEGMENTS = rowset('given', {
  set_id: 'uuid',
  position: 'smallint',
  gateway: 'text',
  sender: 'text',
  recipient: 'text',
  reference_bits: 'smallint',
  reference: 'integer',
  total: 'smallint',
  gateway_message_id: 'text',
  body: 'bytea',
  sent_at: 'timestamptz',
});

const INSERT = sql`
  INSERT INTO inbound_segment (${SEGMENTS.columns})
  SELECT *
    FROM ${SEGMENTS.from}`;

/** Stores a segment in its set. */
export async function insertInboundSegment(
  db: EntityManager,
  segment: NewSegment & Pick<StoredSegment, 'setId'>,
): Promise<void> {
  await db.query(INSERT, SEGMENTS.values([segment]));
}

/** Marks sets as handed over. */
export async function closeInboundSets(db: EntityManager, setIds: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE inbound_segment
        SET closed_at = now()
      WHERE set_id = ANY($1::uuid[])
        AND closed_at IS NULL`,
    [setIds],
  );
}

/** Time in which the segments of a message have to come. */
const PATIENCE = "interval '30 minutes'";

const LIST_INCOMPLETE = sql`
  SELECT DISTINCT set_id AS "setId", gateway, sender, recipient, reference_bits AS "referenceBits", reference, total
    FROM (
      SELECT *
        FROM inbound_segment
       WHERE closed_at IS NULL
         AND received_at < now() - ${PATIENCE}
       ORDER BY received_at
       LIMIT $1
    ) AS late`;

/** Lists sets whose first segment came half an hour ago and that are still open. @param limit of their segments */
export function listIncompleteSets(
  db: EntityManager,
  limit: number,
): Promise<(InboundKey & Pick<StoredSegment, 'setId'>)[]> {
  return db.query(LIST_INCOMPLETE, [limit]);
}

const FIND_OPEN_SETS = sql`
  SELECT ${COLUMNS}
    FROM inbound_segment
   WHERE set_id = ANY($1::uuid[])
     AND closed_at IS NULL
   ORDER BY set_id, position`;

/** Finds the segments of those sets that are open. */
export function findOpenSets(db: EntityManager, setIds: readonly string[]): Promise<StoredSegment[]> {
  return db.query(FIND_OPEN_SETS, [setIds]);
}

/** Deletes closed segments older than two days, a bounded number per call; returns their number. */
export const sweepInboundSegments = sweepOf({
  table: 'inbound_segment',
  key: 'set_id, position',
  where: sql`
    WHERE received_at < now() - interval '2 days'
      AND closed_at IS NOT NULL`,
  orderBy: 'received_at',
});
