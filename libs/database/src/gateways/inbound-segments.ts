import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

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

const FIND = sql`
  SELECT ${COLUMNS}
    FROM inbound_segment
   WHERE gateway = $1
     AND sender = $2
     AND recipient = $3
     AND reference_bits = $4
     AND reference = $5
     AND total = $6
     AND received_at > now() - interval '24 hours'
   ORDER BY received_at, set_id, position`;

/** Finds the segments of a key that came in the last 24 hours, set by set, the oldest first. */
export function findInboundSegments(db: EntityManager, key: InboundKey): Promise<StoredSegment[]> {
  const { gateway, sender, recipient, referenceBits, reference, total } = key;
  return db.query(FIND, [gateway, sender, recipient, referenceBits, reference, total]);
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
  segment: Omit<StoredSegment, 'receivedAt' | 'closedAt'>,
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
  SELECT ${COLUMNS}
    FROM inbound_segment
   WHERE set_id IN (
     SELECT set_id
       FROM inbound_segment
      WHERE closed_at IS NULL
        AND received_at < now() - ${PATIENCE}
      ORDER BY received_at
      LIMIT $1
   )
   ORDER BY set_id, position`;

/** Lists the sets whose first segment came half an hour ago and that are still open, with all their segments. */
export function listIncompleteSets(db: EntityManager, limit: number): Promise<StoredSegment[]> {
  return db.query(LIST_INCOMPLETE, [limit]);
}

const SWEEP_LIMIT = 10_000;

/** Deletes closed segments older than two days, a bounded number per call; returns their number. */
export function sweepInboundSegments(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `DELETE FROM inbound_segment
      WHERE (set_id, position) IN (
        SELECT set_id, position
          FROM inbound_segment
         WHERE received_at < now() - interval '2 days'
           AND closed_at IS NOT NULL
         LIMIT ${SWEEP_LIMIT}
      )`,
  );
}
