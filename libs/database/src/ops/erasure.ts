import { MAX_STARTS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { PushKey } from '../webhooks/pushes.ts';

/*
 * Erases one person's data before its retention ends. Only messages and inbound messages are found by an index; the
 * other statements read whole tables, so a large database takes minutes. They lock nothing but the rows they delete,
 * and lock last what the workers also write: a worker that waits delays the rows of other people in its batch.
 */

/** Replaces a number in a bulk that also went to others. */
const ERASED_NUMBER = '*******0000';

/**
 * A number with its user ids of a chat app; or a user id with its numbers, and with their user ids, since accounts know a
 * person by different ones. It goes no further: a number that was given to another person connects two people.
 */
const LIST_IDENTITIES = sql`
  WITH known AS (
    SELECT $1::text COLLATE "C" AS identity
     UNION
    SELECT msisdn
      FROM chat_user
     WHERE user_id = $1
  )
  SELECT identity
    FROM known
   UNION
  SELECT cu.user_id
    FROM known
    JOIN chat_user cu ON cu.msisdn = known.identity`;

const LIST_MESSAGES = sql`
  SELECT m.submission_id AS "submissionId", m.n, m.status = 'PENDING' AS "isOpen"
    FROM account a
    JOIN message m ON m.account_id = a.id AND m.recipient COLLATE "C" = $1`;

const COUNT_UNSENT = sql`
  SELECT count(*)::integer AS unsent
    FROM submission
   WHERE $1 = ANY (recipients)
     AND fanned_out_at IS NULL
     AND id IN (
       SELECT id
         FROM submission
        WHERE waits
       UNION ALL
       SELECT id
         FROM ready_sms
       UNION ALL
       SELECT unnest(ids)
         FROM ready_batch
       UNION ALL
       SELECT id
         FROM ready_chat
     )`;

/** Sends that an operator discarded before all recipients got a message. */
const LIST_DISCARDED = sql`
  SELECT id
    FROM submission
   WHERE cancelled_at IS NOT NULL
     AND fanned_out_at IS NOT NULL
     AND $1 = ANY (recipients[fanned_upto + 1:])`;

/**
 * True for a callback that no worker reads any more: it was read, or it is parked. Any other one may also hold the only
 * reports on messages to other people.
 */
const IS_DONE = `(processed_at IS NOT NULL OR starts >= ${MAX_STARTS})`;
const NAMES_PERSON = `position(convert_to($1, 'UTF8') IN body) > 0`;

/** Callbacks that are not read. */
const COUNT_UNREAD = sql`
  SELECT count(*)::integer AS unread
    FROM callback
   WHERE NOT ${IS_DONE}
     AND ${NAMES_PERSON}`;

/** A verification is open while its code, or the fallback, is not sent. */
const LIST_VERIFICATIONS = sql`
  SELECT v.id,
         v.status = 'WAITING' OR EXISTS (
           SELECT
             FROM verification_step vs
            WHERE vs.verification_id = v.id
              AND vs.status = 'WAITING'
         ) AS "isOpen"
    FROM verification v
   WHERE v.recipient = $1`;

const LIST_INBOUND = sql`
  SELECT i.id
    FROM account a
    JOIN inbound_message i ON i.account_id = a.id AND i.sender = $1`;

const MESSAGES = rowset('sent', { submission_id: 'uuid', n: 'integer' });

/** Columns of an event `e`. A parked one is not open: no worker starts it. */
const EVENT = `e.id, e.settled_at IS NULL AND e.starts < ${MAX_STARTS} AS "isOpen"`;

const LIST_EVENTS = sql`
  SELECT ${EVENT}
    FROM ${MESSAGES.from}
    JOIN message_event e ON e.submission_id = sent.submission_id AND e.n = sent.n
  UNION ALL
  SELECT ${EVENT}
    FROM message_event e
   WHERE e.submission_id = ANY ($3::uuid[])
     AND e.n = 0`;

const LIST_PUSHES = sql`
  SELECT webhook_id AS "webhookId", report_id AS "reportId"
    FROM push
   WHERE report_id = ANY ($1::uuid[])`;

const PUSHES = rowset('pushed', { webhook_id: 'uuid', report_id: 'uuid' });

/** The rows by which the others of a person are found. What is accepted after they were read stays. */
interface PersonalRows {
  /** A number, or a user id. */
  identity: string;
  messages: MessageKey[];
  /** The sends of the messages, and those that were discarded, in order. */
  sendIds: string[];
  verificationIds: string[];
  inboundIds: string[];
  eventIds: string[];
  pushes: PushKey[];
  /** Sends and codes that are not sent yet, messages without an outcome, and reports that are not read or recorded. */
  open: number;
}

async function findPersonalRows(db: EntityManager, identity: string): Promise<PersonalRows> {
  const messages = await db.query<(MessageKey & Openness)[]>(LIST_MESSAGES, [identity]);
  const [sends] = await db.query<{ unsent: number }[]>(COUNT_UNSENT, [identity]);
  const discardedIds = idsOf(await db.query<Row[]>(LIST_DISCARDED, [identity]));
  const [callbacks] = await db.query<{ unread: number }[]>(COUNT_UNREAD, [identity]);
  const verifications = await db.query<(Row & Openness)[]>(LIST_VERIFICATIONS, [identity]);
  const inboundIds = idsOf(await db.query<Row[]>(LIST_INBOUND, [identity]));
  const events = await db.query<(Row & Openness)[]>(LIST_EVENTS, [...MESSAGES.values(messages), inboundIds]);
  const eventIds = idsOf(events);
  const pushes = await db.query<PushKey[]>(LIST_PUSHES, [eventIds]);
  const waiting = (sends?.unsent ?? 0) + (callbacks?.unread ?? 0);
  const open = [...messages, ...verifications, ...events].filter(({ isOpen }) => isOpen).length + waiting;
  const sendIds = [
    ...new Set([...messages.map(({ submissionId }) => submissionId), ...discardedIds]),
  ].toSorted();
  return {
    identity,
    messages,
    sendIds,
    verificationIds: idsOf(verifications),
    inboundIds,
    eventIds,
    pushes,
    open,
  };
}

interface Row {
  id: string;
}

const idsOf = (rows: Row[]): string[] => rows.map(({ id }) => id);

interface Openness {
  isOpen: boolean;
}

const ofMessages = (table: string): string => sql`
  DELETE FROM ${table}
   USING ${MESSAGES.from}
   WHERE ${table}.submission_id = sent.submission_id
     AND ${table}.n = sent.n`;

/** Ids of a gateway, but for those of messages that were accepted meanwhile: their reports are still to come. */
const DELETE_GATEWAY_IDS = sql`
  DELETE FROM gateway_message_id g
   WHERE g.recipient = $3
     AND NOT EXISTS (
       SELECT
         FROM message m
        WHERE m.submission_id = g.submission_id
          AND m.n = g.n
          AND NOT EXISTS (
            SELECT
              FROM ${MESSAGES.from}
             WHERE sent.submission_id = m.submission_id
               AND sent.n = m.n
          )
     )`;

const ofIds = (table: string, key = 'id'): string => sql`
  DELETE FROM ${table}
   WHERE ${key} = ANY ($1::uuid[])`;

const ofPushes = (table: string): string => sql`
  DELETE FROM ${table}
   USING ${PUSHES.from}
   WHERE ${table}.webhook_id = pushed.webhook_id
     AND ${table}.report_id = pushed.report_id`;

const ofIdentity = (table: string, column: string): string => sql`
  DELETE FROM ${table}
   WHERE ${column} = $1`;

/** A send to this number alone, which it may name more than once. */
const IS_OF_PERSON = sql`
  id = ANY ($1::uuid[])
  AND recipients <@ ARRAY[$2::text]`;

const DELETE_SENDS = sql`
  DELETE FROM submission
   WHERE ${IS_OF_PERSON}`;

const DELETE_DISCARDED = sql`
  DELETE FROM discarded_send
   WHERE submission_id IN (
     SELECT id
       FROM submission
      WHERE ${IS_OF_PERSON}
   )`;

/** In a bulk the number is replaced, and the values of its placeholders with it. */
const REPLACE_IN_BULKS = sql`
  UPDATE submission s
     SET recipients = array_replace(recipients, $2::text, '${ERASED_NUMBER}'),
         custom = (
           SELECT jsonb_agg(CASE WHEN recipient = $2::text THEN '[]' ELSE value END ORDER BY i)
             FROM ROWS FROM (jsonb_array_elements(s.custom), unnest(s.recipients))
                  WITH ORDINALITY AS each (value, recipient, i)
            WHERE value IS NOT NULL
         )
   WHERE id = ANY ($1::uuid[])
     AND $2::text = ANY (recipients)`;

const DELETE_ORPHANS = sql`
  DELETE FROM orphan_report
   WHERE recipient = $1
      OR strpos(content::text, $1) > 0`;

const DELETE_CALLBACKS = sql`
  DELETE FROM callback
   WHERE ${IS_DONE}
     AND ${NAMES_PERSON}`;

/** All numbers of the person, in the order in which requests for codes lock numbers: later ones wait. */
const LOCK_NUMBERS = sql`
  SELECT
    FROM verification_number
   WHERE recipient = ANY ($1::text[])
   ORDER BY account_id, recipient
     FOR UPDATE`;

/** A number stays while a later code needs it. $2 the verifications that are deleted. */
const DELETE_NUMBERS = sql`
  DELETE FROM verification_number vn
   WHERE vn.recipient = ANY ($1::text[])
     AND NOT EXISTS (
       SELECT
         FROM verification v
        WHERE v.account_id = vn.account_id
          AND v.recipient = vn.recipient
          AND v.id <> ALL ($2::uuid[])
     )`;

interface Erasure {
  table: string;
  statement: string;
  values: (rows: PersonalRows) => unknown[];
}

const byMessages = (table: string): Erasure => ({
  table,
  statement: ofMessages(table),
  values: ({ messages }) => MESSAGES.values(messages),
});
const byPushes = (table: string): Erasure => ({
  table,
  statement: ofPushes(table),
  values: ({ pushes }) => PUSHES.values(pushes),
});
const naming = (table: string, statement: string): Erasure => ({
  table,
  statement,
  values: ({ identity }) => [identity],
});
const byIdentity = (table: string, column: string): Erasure => naming(table, ofIdentity(table, column));
const byIds = (table: string, of: 'verificationIds' | 'inboundIds' | 'eventIds', key = 'id'): Erasure => ({
  table,
  statement: ofIds(table, key),
  values: (rows) => [rows[of]],
});
const bySends = (table: string, statement: string): Erasure => ({
  table,
  statement,
  values: ({ sendIds, identity }) => [sendIds, identity],
});

/** The tables that are read the longest come first, since nobody waits for the rows that are locked. */
const UNCONTENDED: readonly Erasure[] = [
  naming('callback', DELETE_CALLBACKS),
  naming('orphan_report', DELETE_ORPHANS),
  byIdentity('inbound_segment', 'sender'),
  {
    table: 'gateway_message_id',
    statement: DELETE_GATEWAY_IDS,
    values: ({ messages, identity }) => [...MESSAGES.values(messages), identity],
  },
  ...['routing_event', 'short_link', 'short_link_click', 'short_link_total', 'phone_message'].map(byMessages),
  byMessages('message_recipient'),
  byIds('inbound_message', 'inboundIds'),
  byIdentity('chat_user', 'msisdn'),
  byIdentity('chat_user', 'user_id'),
  byIdentity('chat_pair', 'recipient'),
  byIdentity('opt_out_end', 'recipient'),
];

/** The tables that workers also write. */
const CONTENDED: readonly Erasure[] = [
  byIds('verification_step', 'verificationIds', 'verification_id'),
  byIds('verification', 'verificationIds'),
  // before their attempts: none is stored for an event that is gone
  byIds('message_event', 'eventIds'),
  byPushes('push_attempt'),
  byPushes('push'),
  byMessages('message'),
  bySends('discarded_send', DELETE_DISCARDED),
  bySends('submission', DELETE_SENDS),
  bySends('submission', REPLACE_IN_BULKS),
];

/** Plans that read whole tables, which sessions rule out otherwise. */
const ALLOW_SCANS = ['enable_seqscan', 'enable_hashjoin'].map((name) => `SET LOCAL ${name} = on`);

export interface Erased {
  /** Deleted rows by table; those of `submission` include bulks in which the number was replaced. */
  rows: Map<string, number>;
  /** Sends, messages and events that workers have in progress. Unless it is 0, nothing was deleted. */
  open: number;
}

/**
 * Erases the messages to and from a person and all that is stored about them, in the transaction of the caller.
 * Messages that are accepted meanwhile stay, and so do opt-outs and statistics. Touches no row while one is in
 * progress: workers lock rows of many people in another order, and one of the two would fail by a deadlock.
 *
 * @param identity a number as digits, without a plus, or a user id of a chat app; includes those known to be the same
 *   person
 */
export async function erasePerson(db: EntityManager, identity: string): Promise<Erased> {
  for (const statement of ALLOW_SCANS) await db.query(statement);
  const identities = await db.query<{ identity: string }[]>(LIST_IDENTITIES, [identity]);
  const found: PersonalRows[] = [];
  for (const { identity: each } of identities) found.push(await findPersonalRows(db, each));
  const open = found.reduce((sum, rows) => sum + rows.open, 0);
  return { rows: open === 0 ? await eraseAll(db, found) : new Map(), open };
}

/** One table after the other, each for all identities of the person. */
async function eraseAll(db: EntityManager, found: readonly PersonalRows[]): Promise<Map<string, number>> {
  const deleted = new Map<string, number>();
  const add = (table: string, count: number): void => {
    if (count > 0) deleted.set(table, (deleted.get(table) ?? 0) + count);
  };
  const erase = async (erasures: readonly Erasure[]): Promise<void> => {
    for (const { table, statement, values } of erasures)
      for (const rows of found) add(table, await countChanged(db, statement, values(rows)));
  };
  await erase(UNCONTENDED);
  // numbers before their codes, in the order in which the try of a code locks them
  add('verification_number', await eraseNumbers(db, found));
  await erase(CONTENDED);
  return deleted;
}

async function eraseNumbers(db: EntityManager, found: readonly PersonalRows[]): Promise<number> {
  const identities = found.map(({ identity }) => identity);
  await db.query(LOCK_NUMBERS, [identities]);
  const verificationIds = found.flatMap((rows) => rows.verificationIds);
  return countChanged(db, DELETE_NUMBERS, [identities, verificationIds]);
}
