import { MAX_STARTS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/*
 * Erases one person's data before its retention ends. Only messages and inbound messages are found by an index; the
 * other statements read whole tables, so a large database takes minutes. They lock nothing but the rows they delete.
 */

/** Replaces a number in a bulk that also went to others. */
const ERASED_NUMBER = '*******0000';

/** A number with its user ids of a chat app, or the other way round. */
const LIST_IDENTITIES = sql`
  SELECT $1::text AS identity
   UNION
  SELECT other
    FROM chat_user
   CROSS JOIN LATERAL (VALUES (user_id), (msisdn)) AS known (other)
   WHERE $1 IN (user_id, msisdn)`;

const LIST_MESSAGES = sql`
  SELECT m.submission_id AS "submissionId", m.n, m.status = 'PENDING' AS "isOpen"
    FROM account a
    JOIN message m ON m.account_id = a.id AND m.recipient COLLATE "C" = $1`;

const COUNT_UNSENT = sql`
  SELECT count(*)::integer AS unsent
    FROM submission
   WHERE $1 = ANY (recipients)
     AND id IN (
       SELECT id
         FROM submission
        WHERE waits
       UNION ALL
       SELECT id
         FROM ready_sms
       UNION ALL
       SELECT id
         FROM ready_chat
     )`;

const MESSAGES = rowset('sent', { submission_id: 'uuid', n: 'integer' });

/** Columns of an event `e`. A parked one is not open: no worker starts it. */
const EVENT = `e.id, e.settled_at IS NULL AND e.starts < ${MAX_STARTS} AS "isOpen"`;

const LIST_EVENTS = sql`
  SELECT ${EVENT}
    FROM ${MESSAGES.from}
    JOIN message_event e ON e.submission_id = sent.submission_id AND e.n = sent.n
  UNION ALL
  SELECT ${EVENT}
    FROM account a
    JOIN inbound_message i ON i.account_id = a.id AND i.sender = $3
    JOIN message_event e ON e.submission_id = i.id AND e.n = 0`;

/** The rows by which the others of a person are found. */
interface PersonalRows {
  /** A number, or a user id. */
  identity: string;
  messages: MessageKey[];
  eventIds: string[];
  /** Sends that are not submitted yet, messages without an outcome, and events whose pushes are not recorded. */
  open: number;
}

async function findPersonalRows(db: EntityManager, identity: string): Promise<PersonalRows> {
  const messages = await db.query<(MessageKey & Openness)[]>(LIST_MESSAGES, [identity]);
  const [counted] = await db.query<{ unsent: number }[]>(COUNT_UNSENT, [identity]);
  const events = await db.query<({ id: string } & Openness)[]>(LIST_EVENTS, [
    ...MESSAGES.values(messages),
    identity,
  ]);
  const open = [...messages, ...events].filter(({ isOpen }) => isOpen).length + (counted?.unsent ?? 0);
  return { identity, messages, eventIds: events.map(({ id }) => id), open };
}

interface Openness {
  isOpen: boolean;
}

const ofMessages = (table: string): string => sql`
  DELETE FROM ${table}
   USING ${MESSAGES.from}
   WHERE ${table}.submission_id = sent.submission_id
     AND ${table}.n = sent.n`;

const ofEvents = (table: string, key = 'report_id'): string => sql`
  DELETE FROM ${table}
   WHERE ${key} = ANY ($1::uuid[])`;

const ofIdentity = (table: string, column: string): string => sql`
  DELETE FROM ${table}
   WHERE ${column} = $1`;

/** A send to this number alone. */
const DELETE_SENDS = sql`
  DELETE FROM submission
   WHERE id = ANY ($1::uuid[])
     AND recipients = ARRAY[$2::text]`;

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

const DELETE_STEPS = sql`
  DELETE FROM verification_step
   WHERE verification_id IN (
     SELECT id
       FROM verification
      WHERE recipient = $1
   )`;

const DELETE_ORPHANS = sql`
  DELETE FROM orphan_report
   WHERE recipient = $1
      OR strpos(content::text, $1) > 0`;

const DELETE_CALLBACKS = sql`
  DELETE FROM callback
   WHERE position(convert_to($1, 'UTF8') IN body) > 0`;

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
const byEvents = (table: string, key?: string): Erasure => ({
  table,
  statement: ofEvents(table, key),
  values: ({ eventIds }) => [eventIds],
});
const naming = (table: string, statement: string): Erasure => ({
  table,
  statement,
  values: ({ identity }) => [identity],
});
const byIdentity = (table: string, column: string): Erasure => naming(table, ofIdentity(table, column));
const bySends = (statement: string): Erasure => ({
  table: 'submission',
  statement,
  values: ({ messages, identity }) => [
    [...new Set(messages.map(({ submissionId }) => submissionId))].toSorted(),
    identity,
  ],
});

const ERASURES: readonly Erasure[] = [
  // before their attempts: none is stored for an event that is gone
  byEvents('message_event', 'id'),
  byEvents('push_attempt'),
  byEvents('push'),
  ...['routing_event', 'short_link', 'short_link_click', 'short_link_total', 'phone_message'].map(byMessages),
  byIdentity('gateway_message_id', 'recipient'),
  byMessages('message'),
  byIdentity('message_recipient', 'recipient'),
  bySends(DELETE_SENDS),
  bySends(REPLACE_IN_BULKS),
  byIdentity('inbound_message', 'sender'),
  byIdentity('inbound_segment', 'sender'),
  byIdentity('chat_pair', 'recipient'),
  byIdentity('chat_user', 'msisdn'),
  byIdentity('chat_user', 'user_id'),
  naming('orphan_report', DELETE_ORPHANS),
  naming('callback', DELETE_CALLBACKS),
  naming('verification_step', DELETE_STEPS),
  byIdentity('verification', 'recipient'),
  byIdentity('verification_number', 'recipient'),
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
  const rows = new Map<string, number>();
  if (open === 0) for (const each of found) await eraseIdentity(db, each, rows);
  return { rows, open };
}

async function eraseIdentity(
  db: EntityManager,
  found: PersonalRows,
  deleted: Map<string, number>,
): Promise<void> {
  for (const { table, statement, values } of ERASURES) {
    const count = await countChanged(db, statement, values(found));
    if (count > 0) deleted.set(table, (deleted.get(table) ?? 0) + count);
  }
}
