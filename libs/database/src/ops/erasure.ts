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

/**
 * True for a callback that no worker reads any more: it was read, or it is parked. Any other one may also hold the only
 * reports on messages to other people.
 */
const IS_DONE = `(processed_at IS NOT NULL OR starts >= ${MAX_STARTS})`;
const NAMES_PERSON = `position(convert_to($1, 'UTF8') IN body) > 0`;

/** Callbacks that are not read, and codes and fallbacks that are not sent. */
const COUNT_WAITING = sql`
  SELECT count(*)::integer AS waiting
    FROM (
      SELECT
        FROM callback
       WHERE NOT ${IS_DONE}
         AND ${NAMES_PERSON}
       UNION ALL
      SELECT
        FROM verification
       WHERE status = 'WAITING'
         AND recipient = $1
       UNION ALL
      SELECT
        FROM verification_step vs
        JOIN verification v ON v.id = vs.verification_id
       WHERE vs.status = 'WAITING'
         AND v.recipient = $1
    ) AS found`;

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

const LIST_PUSHES = sql`
  SELECT webhook_id AS "webhookId", report_id AS "reportId"
    FROM push
   WHERE report_id = ANY ($1::uuid[])`;

const PUSHES = rowset('pushed', { webhook_id: 'uuid', report_id: 'uuid' });

/** The rows by which the others of a person are found. */
interface PersonalRows {
  /** A number, or a user id. */
  identity: string;
  messages: MessageKey[];
  eventIds: string[];
  pushes: PushKey[];
  /** Sends and codes that are not sent yet, messages without an outcome, and reports that are not read or recorded. */
  open: number;
}

async function findPersonalRows(db: EntityManager, identity: string): Promise<PersonalRows> {
  const messages = await db.query<(MessageKey & Openness)[]>(LIST_MESSAGES, [identity]);
  const [counted] = await db.query<{ unsent: number }[]>(COUNT_UNSENT, [identity]);
  const [found] = await db.query<{ waiting: number }[]>(COUNT_WAITING, [identity]);
  const events = await db.query<({ id: string } & Openness)[]>(LIST_EVENTS, [
    ...MESSAGES.values(messages),
    identity,
  ]);
  const eventIds = events.map(({ id }) => id);
  const pushes = await db.query<PushKey[]>(LIST_PUSHES, [eventIds]);
  const waiting = (counted?.unsent ?? 0) + (found?.waiting ?? 0);
  const open = [...messages, ...events].filter(({ isOpen }) => isOpen).length + waiting;
  return { identity, messages, eventIds, pushes, open };
}

interface Openness {
  isOpen: boolean;
}

const ofMessages = (table: string): string => sql`
  DELETE FROM ${table}
   USING ${MESSAGES.from}
   WHERE ${table}.submission_id = sent.submission_id
     AND ${table}.n = sent.n`;

const DELETE_EVENTS = sql`
  DELETE FROM message_event
   WHERE id = ANY ($1::uuid[])`;

const ofPushes = (table: string): string => sql`
  DELETE FROM ${table}
   USING ${PUSHES.from}
   WHERE ${table}.webhook_id = pushed.webhook_id
     AND ${table}.report_id = pushed.report_id`;

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
   WHERE ${IS_DONE}
     AND ${NAMES_PERSON}`;

/** All numbers of the person, in the order in which requests for codes lock numbers. */
const DELETE_NUMBERS = sql`
  DELETE FROM verification_number vn
   USING (
     SELECT account_id, recipient
       FROM verification_number
      WHERE recipient = ANY ($1::text[])
      ORDER BY account_id, recipient
        FOR UPDATE
   ) AS locked
   WHERE vn.account_id = locked.account_id
     AND vn.recipient = locked.recipient`;

interface Erasure {
  table: string;
  statement: string;
  values: (rows: PersonalRows, identities: string[]) => unknown[];
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
const bySends = (statement: string): Erasure => ({
  table: 'submission',
  statement,
  values: ({ messages, identity }) => [
    [...new Set(messages.map(({ submissionId }) => submissionId))].toSorted(),
    identity,
  ],
});

/** Those that read the most come first, since nobody waits for the rows that they lock. */
const ERASURES: readonly Erasure[] = [
  naming('callback', DELETE_CALLBACKS),
  naming('orphan_report', DELETE_ORPHANS),
  byIdentity('inbound_segment', 'sender'),
  byIdentity('gateway_message_id', 'recipient'),
  ...['routing_event', 'short_link', 'short_link_click', 'short_link_total', 'phone_message'].map(byMessages),
  byIdentity('message_recipient', 'recipient'),
  byIdentity('inbound_message', 'sender'),
  byIdentity('chat_user', 'msisdn'),
  byIdentity('chat_user', 'user_id'),
  byIdentity('chat_pair', 'recipient'),
  // a number before its codes, in the order in which the try of a code locks them
  { table: 'verification_number', statement: DELETE_NUMBERS, values: (_rows, identities) => [identities] },
  naming('verification_step', DELETE_STEPS),
  byIdentity('verification', 'recipient'),
  // before their attempts: none is stored for an event that is gone
  { table: 'message_event', statement: DELETE_EVENTS, values: ({ eventIds }) => [eventIds] },
  byPushes('push_attempt'),
  byPushes('push'),
  byMessages('message'),
  bySends(DELETE_SENDS),
  bySends(REPLACE_IN_BULKS),
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
  const identities = found.map(({ identity }) => identity);
  for (const { table, statement, values } of ERASURES)
    for (const rows of found) {
      const count = await countChanged(db, statement, values(rows, identities));
      if (count > 0) deleted.set(table, (deleted.get(table) ?? 0) + count);
    }
  return deleted;
}
