import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { NEWEST_OF_RECIPIENT } from '../messages/of-recipient.ts';

/** The kinds of things that a search finds. */
export const FOUND_KINDS = [
  'send',
  'message',
  'inbound',
  'sms-inbound',
  'conversation',
  'number',
  'campaign',
  'reference',
  'opt-out',
  'sender',
  'webhook',
  'delivery',
  'template',
  'sms-template',
  'chat-account',
  'verification',
  'verification-config',
  'gateway',
  'route',
] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

/** Something that a search found. */
export interface Found {
  kind: FoundKind;
  /** The id in its path. */
  id: string;
  /** The name, number or first recipient that a person knows it by. */
  label: string;
  /** A second fact, such as a status; null when there is none. */
  detail: string | null;
}

/** Maximum number of rows of one kind. */
const PER_KIND = 5;

/** Rows that a search finds by their id and by their name: limits keep few of them in an account. */
interface Named {
  kind: FoundKind;
  table: string;
  id?: string;
  detail?: string;
  condition: string;
}

const OF_ACCOUNT = 'account_id = $1';
const KEPT = 'account_id = $1 AND deleted_at IS NULL';
const OF_ALL = '$1::uuid IS NOT NULL';

const NAMED: readonly Named[] = [
  { kind: 'webhook', table: 'webhook', detail: 'endpoint', condition: KEPT },
  { kind: 'template', table: 'template', detail: `language || ', ' || lower(status)`, condition: KEPT },
  { kind: 'sms-template', table: 'sms_template', detail: 'sender', condition: OF_ACCOUNT },
  { kind: 'chat-account', table: 'chat_account', condition: KEPT },
  { kind: 'verification-config', table: 'verification_config', condition: KEPT },
  { kind: 'gateway', table: 'gateway', id: 'name', detail: 'kind', condition: OF_ALL },
  { kind: 'route', table: 'route', condition: OF_ALL },
];

const withId = ({ kind, table, id = 'id::text', detail = 'NULL', condition }: Named): string => sql`
  SELECT '${kind}', ${id}, name, ${detail}
    FROM ${table}
   WHERE id = $2 AND ${condition}`;

/** Rows whose name contains the text $2. */
const withName = ({ kind, table, id = 'id::text', detail = 'NULL', condition }: Named): string => sql`
  (SELECT '${kind}' AS kind, ${id} AS id, name AS label, ${detail} AS detail
     FROM ${table}
    WHERE ${condition}
      AND position(lower($2) IN lower(name)) > 0
    ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
    LIMIT ${PER_KIND})`;

const UNION = '\n UNION ALL\n';

const BY_ID = [
  sql`
    SELECT 'send' AS kind, id::text, sender AS label,
           cardinality(recipients) || CASE cardinality(recipients) WHEN 1 THEN ' message' ELSE ' messages' END AS detail
      FROM submission
     WHERE id = $2 AND account_id = $1`,
  sql`
    SELECT CASE WHEN chat_account_id IS NULL THEN 'sms-inbound' ELSE 'inbound' END, id::text, sender, kind
      FROM inbound_message
     WHERE id = $2 AND account_id = $1`,
  sql`
    SELECT 'conversation', recipient || '/' || sender, sender, recipient
      FROM inbound_message
     WHERE id = $2 AND account_id = $1`,
  sql`
    SELECT 'verification', id::text, recipient, lower(status)
      FROM verification
     WHERE id = $2 AND account_id = $1`,
  sql`
    SELECT 'opt-out', id::text, recipient, NULLIF(sender, '')
      FROM opt_out
     WHERE id = $2 AND account_id = $1`,
  sql`
    SELECT 'message', e.submission_id || ':' || e.n, m.recipient, initcap(m.status)
      FROM message_event e
      JOIN message m ON m.submission_id = e.submission_id AND m.n = e.n
     WHERE e.id = $2 AND m.account_id = $1`,
  ...NAMED.filter(({ kind }) => kind !== 'chat-account').map(withId), // whose ids are numbers
].join(UNION);

/** Finds what an id belongs to: a resource of the account, a report of one of its messages, a gateway or a route. */
export function findById(db: EntityManager, accountId: string, id: string): Promise<Found[]> {
  return db.query(BY_ID, [accountId, id]);
}

const BY_NAME = [
  sql`
    (SELECT 'campaign' AS kind, campaign AS id, campaign AS label, NULL AS detail
       FROM submission
      WHERE account_id = $1
        AND campaign = $2
      LIMIT 1)`,
  sql`
    (SELECT 'reference', client_ref, client_ref, NULL
       FROM submission
      WHERE account_id = $1
        AND client_ref = $2
      LIMIT 1)`,
  ...NAMED.map(withName),
].join(UNION);

/** Finds what has a name that contains a text, and campaigns and references that are equal to it. */
export function findByName(db: EntityManager, accountId: string, text: string): Promise<Found[]> {
  return db.query(BY_NAME, [accountId, text]);
}

const BY_NUMBER = sql`
  (SELECT 'number' AS kind, recipient AS id, recipient AS label, NULL AS detail
     FROM message
    WHERE account_id = $1
      AND recipient COLLATE "C" = $2
    LIMIT 1)
   UNION ALL
  (SELECT 'message', submission_id || ':' || n, recipient, initcap(status)
     FROM message
    WHERE account_id = $1
      AND recipient COLLATE "C" = $2
    ORDER BY ${NEWEST_OF_RECIPIENT}
    LIMIT ${PER_KIND})
   UNION ALL
  (SELECT 'conversation', i.recipient || '/' || i.sender, i.sender, i.recipient
     FROM (
       SELECT DISTINCT recipient, sender
         FROM (
           SELECT recipient, sender
             FROM inbound_message
            WHERE account_id = $1
              AND sender = $2
            ORDER BY account_id DESC, sender DESC, id DESC
            LIMIT 100
         ) AS newest
     ) AS i
    LIMIT ${PER_KIND})
   UNION ALL
  (SELECT 'opt-out', id::text, recipient, NULLIF(sender, '')
     FROM opt_out
    WHERE account_id = $1
      AND recipient = $2
    LIMIT ${PER_KIND})
   UNION ALL
  SELECT 'sender', chat_account_id || '/' || msisdn, msisdn, NULL
    FROM chat_sender
   WHERE account_id = $1
     AND msisdn = $2`;

/** Finds what a phone number has to do with: messages to it, conversations, opt-outs, and a sender. */
export function findByNumber(db: EntityManager, accountId: string, number: string): Promise<Found[]> {
  return db.query(BY_NUMBER, [accountId, number]);
}
