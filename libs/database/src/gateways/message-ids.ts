import type { MessageKey } from '@signalbox/domain/message-id';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { arrayLiteral } from '../core/array-literal.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { WAKE_ORPHANS } from './orphans.ts';

/*
 * The map from gateways' ids to the segments of messages. It is partitioned by the day of the insert, so that old ids
 * are dropped as a table. A gateway may give one id to several segments or messages.
 */

/** The gateway's id of one segment of a message. */
export interface NewMessageId extends MessageKey {
  gateway: string;
  gatewayMessageId: string;
  /** Counted from 1. */
  segment: number;
  segments: number;
  /** Digits only. */
  recipient: string;
}

const IDS = rowset('given', {
  gateway: 'text',
  gateway_message_id: 'text',
  submission_id: 'uuid',
  n: 'integer',
  segment: 'smallint',
  segments: 'smallint',
  recipient: 'text',
});

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

const INSERT = sql`
  WITH given AS (
    SELECT *
      FROM ${IDS.from}
  ), stored AS (
    INSERT INTO gateway_message_id (${IDS.columns}, day)
    SELECT given.*, ${TODAY}
      FROM given
    ON CONFLICT DO NOTHING
  ), woken AS (
    ${WAKE_ORPHANS}
  )
  SELECT DISTINCT m.gateway, m.gateway_message_id AS "gatewayMessageId"
    FROM gateway_message_id m -- one scan of each day: a look-up for each row costs three times as much
   WHERE m.gateway = ANY($1::text[])
     AND m.gateway_message_id = ANY($8::text[])
     AND m.recipient = ANY($7::text[])
     AND m.day >= ${TODAY} - 1`;

/**
 * Stores ids, and makes the orphans due that wait for them. A repeat of a row changes nothing.
 *
 * @param asked ids of the rows that may have been given before
 * @returns those of them that today or yesterday were given for a recipient of the rows before
 */
export function insertMessageIds(
  db: EntityManager,
  rows: readonly NewMessageId[],
  asked: readonly string[] = [],
): Promise<Pick<NewMessageId, 'gateway' | 'gatewayMessageId'>[]> {
  return db.query(INSERT, [...IDS.values(rows), arrayLiteral(asked)]);
}

/** One stored id, and the last report of its segment; its fields are null before the first. */
export interface StoredMessageId extends NewMessageId {
  /** `YYYY-MM-DD`, part of the key. */
  day: string;
  status: ReportedStatus | null;
  errCode: string | null;
  gatewayCode: string | null;
  description: string | null;
  reportedAt: Date | null;
  waitingSince: Date | null;
}

const STORED = sql`
  m.gateway, m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.segment,
  m.segments, m.recipient, m.day::text AS day, m.status, m.err_code AS "errCode",
  m.gateway_code AS "gatewayCode", m.description, m.reported_at AS "reportedAt",
  m.waiting_since AS "waitingSince"`;

/** Rows of one id that are compared; a gateway that gives all messages one id has more. */
export const MAX_EQUAL_IDS = 50;

/** Stored rows of each given id as `m`, at most MAX_EQUAL_IDS. @param where begins with WHERE */
const rowsOfId = (where: string): string => sql`
  LATERAL (
    SELECT *
      FROM gateway_message_id m
     ${where}
     LIMIT ${MAX_EQUAL_IDS}
  ) AS m`;

const SAME_ID = sql`
  WHERE m.gateway = given.gateway
    AND m.gateway_message_id = given.gateway_message_id`;

const WANTED = rowset('given', { gateway: 'text', gateway_message_id: 'text' });

const FIND = sql`
  SELECT ${STORED}
    FROM ${WANTED.from},
         ${rowsOfId(SAME_ID)}`;

/** Finds the rows of ids, at most MAX_EQUAL_IDS of each. Name an id once. */
export function findMessageIds(
  db: EntityManager,
  ids: readonly { gateway: string; gatewayMessageId: string }[],
): Promise<StoredMessageId[]> {
  return db.query(FIND, WANTED.values(ids));
}

const SHARED = rowset('given', { gateway: 'text', gateway_message_id: 'text', recipient: 'text' });

const FIND_SHARED = sql`
  SELECT ${STORED}
    FROM ${SHARED.from},
         ${rowsOfId(sql`
           ${SAME_ID}
             AND m.recipient = given.recipient
             AND m.status IS DISTINCT FROM 'DELIVERED'
             AND m.status IS DISTINCT FROM 'FAILED'
           ORDER BY m.submission_id, m.n, m.segment`)}`;

/** Finds the rows of ids that many messages share, without a final report and by recipient, oldest first. */
export function findSharedIds(
  db: EntityManager,
  ids: readonly { gateway: string; gatewayMessageId: string; recipient: string }[],
): Promise<StoredMessageId[]> {
  return db.query(FIND_SHARED, SHARED.values(ids));
}

const KEYS = rowset('key', { submission_id: 'uuid', n: 'integer' });

const LIST_SETTLED = sql`
  SELECT m.submission_id AS "submissionId", m.n
    FROM ${KEYS.from}
    JOIN message m ON m.submission_id = key.submission_id AND m.n = key.n
   WHERE m.status IN ('DELIVERED', 'READ', 'FAILED')`;

/** Lists those of some messages that have a final status. Name a message once. */
export function listSettled(db: EntityManager, messages: readonly MessageKey[]): Promise<MessageKey[]> {
  return db.query(LIST_SETTLED, KEYS.values(messages));
}

/** A row of the map, as the seeker of orphans needs it. */
export type KnownMessageId = Pick<StoredMessageId, 'gatewayMessageId' | 'submissionId' | 'n' | 'recipient'>;

const FIND_OF_GATEWAY = sql`
  SELECT m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.recipient
    FROM unnest($2::text[]) AS given(id),
         ${rowsOfId(sql`
           WHERE m.gateway = $1
             AND m.gateway_message_id = given.id`)}`;

/** Finds the rows of a gateway's ids, at most MAX_EQUAL_IDS of each. */
export function findGatewayIds(
  db: EntityManager,
  gateway: string,
  ids: readonly string[],
): Promise<KnownMessageId[]> {
  return db.query(FIND_OF_GATEWAY, [gateway, ids]);
}

/** Lists some of the ids of a gateway. */
export async function sampleGatewayIds(db: EntityManager, gateway: string, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `SELECT gateway_message_id AS id
       FROM gateway_message_id
      WHERE gateway = $1
        AND day >= ${TODAY} - 1
      LIMIT $2`,
    [gateway, limit],
  );
  return rows.map(({ id }) => id);
}

const MESSAGES = rowset('given', { submission_id: 'uuid', n: 'integer' });

const LOCK = sql`
  SELECT ${STORED}
    FROM ${MESSAGES.from}
    JOIN gateway_message_id m ON m.submission_id = given.submission_id AND m.n = given.n AND m.segments > 1
   ORDER BY m.submission_id, m.n, m.segment, m.gateway_message_id
     FOR UPDATE OF m`;

/**
 * Locks all segments of messages until the end of the transaction and returns them in order, so that two workers that
 * get the last two reports of a message see each other's. Name a message once. Messages of one segment have none.
 */
export function lockSegments(db: EntityManager, messages: readonly MessageKey[]): Promise<StoredMessageId[]> {
  return db.query(LOCK, MESSAGES.values(messages));
}

const LIST_SEGMENT_IDS = sql`
  SELECT m.submission_id AS "submissionId", m.n, m.gateway_message_id AS "gatewayMessageId"
    FROM ${MESSAGES.from}
    JOIN gateway_message_id m ON m.submission_id = given.submission_id AND m.n = given.n AND m.segments > 1
   WHERE m.gateway_message_id <> ''
   GROUP BY m.submission_id, m.n, m.gateway_message_id
   ORDER BY m.submission_id, m.n, min(m.segment)`;

/** Lists the ids of the segments of messages that have several, each once and in order. Name a message once. */
export function listSegmentIds(
  db: EntityManager,
  messages: readonly MessageKey[],
): Promise<(MessageKey & { gatewayMessageId: string })[]> {
  return db.query(LIST_SEGMENT_IDS, MESSAGES.values(messages));
}

/** The rest of the key, after the gateway. */
const SAME_ROW = sql`
  AND m.gateway_message_id = given.gateway_message_id
  AND m.recipient = given.recipient
  AND m.submission_id = given.submission_id
  AND m.n = given.n
  AND m.segment = given.segment
  AND m.day = given.day::date`;

const ROWS = rowset('given', {
  gateway: 'text',
  gateway_message_id: 'text',
  recipient: 'text',
  submission_id: 'uuid',
  n: 'integer',
  segment: 'smallint',
  day: ['text', ({ day }: StoredMessageId) => day],
});

const LOCK_ROWS = sql`
  SELECT ${STORED}
    FROM ${ROWS.from}
    JOIN gateway_message_id m
      ON m.gateway = given.gateway
     ${SAME_ROW}
   ORDER BY m.submission_id, m.n, m.segment, m.gateway_message_id
     FOR UPDATE OF m`;

/** Locks rows until the end of the transaction and returns them as they are then. Name a row once. */
export function lockMessageIds(
  db: EntityManager,
  rows: readonly StoredMessageId[],
): Promise<StoredMessageId[]> {
  return db.query(LOCK_ROWS, ROWS.values(rows));
}

const REPORTED = rowset('given', {
  gateway: 'text',
  gateway_message_id: 'text',
  submission_id: 'uuid',
  n: 'integer',
  segment: 'smallint',
  recipient: 'text',
  day: ['text', ({ day }: StoredMessageId) => day],
  status: 'text',
  err_code: 'text',
  gateway_code: 'text',
  description: 'text',
  reported_at: 'timestamptz',
  waiting_since: 'timestamptz',
});

const UPDATE = sql`
  UPDATE gateway_message_id m
     SET status = given.status,
         err_code = given.err_code,
         gateway_code = given.gateway_code,
         description = given.description,
         reported_at = given.reported_at,
         waiting_since = given.waiting_since
    FROM ${REPORTED.sorted('submission_id, n, segment, gateway_message_id')} -- as lockSegments
   WHERE m.gateway = given.gateway
     ${SAME_ROW}`;

/** Records the last report of each row. Rows of messages with several segments have to be locked. */
export async function updateMessageIds(db: EntityManager, rows: readonly StoredMessageId[]): Promise<void> {
  await db.query(UPDATE, REPORTED.values(rows));
}

/** Time after the first final report of a message in which its other segments are waited for. */
const SILENCE = "interval '10 minutes'";

/**
 * Lists messages of which a segment has a final report and another stays silent for ten minutes.
 *
 * @param limit of messages
 */
export function listSilent(db: EntityManager, limit: number): Promise<(MessageKey & { gateway: string })[]> {
  return db.query(
    `SELECT DISTINCT gateway, submission_id AS "submissionId", n
       FROM (
         SELECT gateway, submission_id, n
           FROM gateway_message_id
          WHERE waiting_since < now() - ${SILENCE}
          ORDER BY waiting_since
          LIMIT $1
       ) AS silent`,
    [limit],
  );
}

const CLEAR_WAITING = sql`
  UPDATE gateway_message_id m
     SET waiting_since = NULL
    FROM ${MESSAGES.sorted('submission_id, n')}
   WHERE m.submission_id = given.submission_id
     AND m.n = given.n
     AND m.segments > 1
     AND m.waiting_since IS NOT NULL`;

/** Ends the wait for silent segments of messages. */
export async function clearWaiting(db: EntityManager, messages: readonly MessageKey[]): Promise<void> {
  await db.query(CLEAR_WAITING, MESSAGES.values(messages));
}
