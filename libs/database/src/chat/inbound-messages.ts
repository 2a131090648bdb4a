import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { type WriterKey, withWritersLocked } from '../accounts/opt-out-ends.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { NEWEST_OF_RECIPIENT } from '../messages/of-recipient.ts';
import { identitiesOf } from './chat-identities.ts';
import { CONSENT_STEPS, writtenConsents } from './consent-steps.ts';
import { RECEIVED_EVENTS } from './received-events.ts';

/** A message of either channel that a recipient wrote. */
export interface WrittenMessage {
  id: string;
  gateway: string;
  /** The gateway's id of the message; a repeat of the same id is the same message. */
  gatewayMessageId: string;
  /** The number or name of the writer; the user id of a writer without one. */
  from: string;
  /** The number or short code that was written to. */
  to: string;
  sentAt: Date;
  receivedAt: Date;
  /** `stop`: the writer wants no more messages of the number; `start`: wants them again. */
  consent: 'stop' | 'start' | null;
}

/** Returns the writers of the messages that change an opt-out. */
export function consentingWriters(messages: readonly WrittenMessage[]): WriterKey[] {
  return messages
    .filter(({ consent }) => consent !== null)
    .map(({ from, to }) => ({ recipient: from, sender: to }));
}

/** The first columns of a message that a recipient wrote. */
export const WRITTEN = {
  id: 'uuid',
  gateway: 'text',
  gateway_message_id: 'text',
  sender: ['text', ({ from }: WrittenMessage) => from],
  recipient: ['text', ({ to }: WrittenMessage) => to],
} as const;

/** A message that a recipient wrote to a business number of a chat app. */
export interface NewInbound extends WrittenMessage {
  /** The provider's id of the writer, if it has one. */
  userId?: string | undefined;
  kind: string;
  content: Record<string, unknown>;
  replyTo: MessageKey | null;
  /** The gateway's id of the message of ours that it answers, when `replyTo` is not known. */
  replyToGatewayId?: string | undefined;
}

/** The outcome of storing inbound messages. */
export interface StoredInbounds {
  /** The events of status RECEIVED, to be enqueued. */
  reportIds: string[];
  /** Ids of the messages to a number that no account owns: they are not stored. */
  unowned: string[];
}

const INBOUNDS = rowset('given', {
  ...WRITTEN,
  kind: 'text',
  content: 'jsonb',
  reply_to: ['uuid', (inbound: NewInbound) => inbound.replyTo?.submissionId],
  reply_n: ['integer', (inbound: NewInbound) => inbound.replyTo?.n],
  sent_at: 'timestamptz',
  received_at: 'timestamptz',
  consent: 'text',
  user_id: ['text', (inbound: NewInbound) => inbound.userId],
  reply_to_gateway_id: ['text', (inbound: NewInbound) => inbound.replyToGatewayId],
});

/** Messages to a writer among which the answered one is looked for, the newest first. */
const ANSWERABLE = 500;

/** A message that its gateway knows by the id that `given` names, sent to its writer. */
const ANSWERED = sql`
  SELECT submission_id, n
    FROM (
      SELECT submission_id, n, gateway, gateway_message_id
        FROM message
       WHERE given.reply_to_gateway_id IS NOT NULL
         AND account_id = given.account_id
         AND recipient COLLATE "C" = given.sender
       ORDER BY ${NEWEST_OF_RECIPIENT}
       LIMIT ${ANSWERABLE}
    ) AS recent
   WHERE recent.gateway = given.gateway
     AND recent.gateway_message_id = given.reply_to_gateway_id
   LIMIT 1`;

const INSERT = sql`
  WITH given AS MATERIALIZED (
    SELECT given.*, owner.account_id, owner.chat_account_id
      FROM ${INBOUNDS.from}
      LEFT JOIN chat_sender owner ON owner.msisdn = given.recipient
  ), stored AS (
    -- it answers a message only if we sent that message to its writer
    INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient,
                                 kind, content, reply_to_submission_id, reply_to_n, sent_at, received_at, user_id)
    SELECT given.id, given.account_id, given.chat_account_id, given.gateway, given.gateway_message_id,
           given.sender, given.recipient, given.kind, given.content,
           COALESCE(s.id, answered.submission_id),
           CASE WHEN s.id IS NOT NULL THEN given.reply_n ELSE answered.n END,
           given.sent_at, given.received_at, given.user_id
      FROM given
      LEFT JOIN submission s
        ON s.id = given.reply_to
       AND s.account_id = given.account_id
       AND s.recipients[given.reply_n] = given.sender
      LEFT JOIN LATERAL (
        ${ANSWERED}
      ) AS answered ON true
     WHERE given.account_id IS NOT NULL
     ORDER BY given.gateway, given.gateway_message_id, given.id
    ON CONFLICT DO NOTHING
    RETURNING id, account_id, gateway, sender, recipient, kind, sent_at, user_id, LEAST(sent_at, now()) AS written_at
  ), known AS (
    INSERT INTO chat_user AS cu (account_id, user_id, msisdn)
    SELECT DISTINCT ON (account_id, user_id) account_id, user_id, sender
      FROM stored
     WHERE user_id <> sender
     ORDER BY account_id, user_id, written_at DESC
    ON CONFLICT ON CONSTRAINT chat_user_pkey DO UPDATE
       SET msisdn = EXCLUDED.msisdn, seen_at = now()
    RETURNING user_id
  ), person AS MATERIALIZED (
    -- a message counts for the number and for the user id of its writer, as far as they are known
    SELECT stored.id, stored.account_id, stored.recipient, stored.kind, stored.sent_at, stored.written_at,
           ARRAY(
             SELECT stored.sender
              UNION
             SELECT stored.user_id
              WHERE stored.user_id IS NOT NULL
              UNION
             SELECT cu.msisdn
               FROM chat_user cu
              WHERE cu.account_id = stored.account_id
                AND cu.user_id = stored.user_id
              UNION
             SELECT cu.user_id
               FROM chat_user cu
              WHERE cu.account_id = stored.account_id
                AND cu.msisdn = stored.sender
           ) AS identities
      FROM stored
     -- user ids are touched before opt-outs, as by notices of identities
     WHERE (SELECT count(*) FROM known) >= 0
  ), writer AS MATERIALIZED (
    SELECT person.*, identity.sender
      FROM person
     CROSS JOIN unnest(person.identities) AS identity (sender)
  ), pair AS (
    INSERT INTO chat_pair AS p (account_id, sender, recipient, last_inbound_at)
    SELECT account_id, recipient, sender, max(written_at)
      FROM writer
     WHERE kind <> 'system' -- the provider wrote it
     GROUP BY account_id, recipient, sender
     ORDER BY account_id, recipient, sender
    ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
       SET last_inbound_at = GREATEST(p.last_inbound_at, EXCLUDED.last_inbound_at)
  ), consent AS MATERIALIZED (
    ${writtenConsents('writer')}
  ), restarted AS MATERIALIZED (
    SELECT account_id, recipient, sender, at
      FROM consent
     WHERE consent = 'start'
  ), followed AS (
    -- an opt-out of one identity of a writer holds for the others
    SELECT o.account_id, other.recipient, o.sender, o.source, o.reason, o.created_at AS at
      FROM writer
      JOIN opt_out o
        ON o.account_id = writer.account_id
       AND o.recipient = writer.sender
     CROSS JOIN unnest(writer.identities) AS other (recipient)
     WHERE other.recipient <> o.recipient
       AND NOT EXISTS (
             SELECT FROM restarted
              WHERE restarted.account_id = o.account_id
                AND restarted.recipient = o.recipient
                AND restarted.sender = o.sender
                AND restarted.at >= o.created_at
           )
       AND COALESCE(
             (
               SELECT same.created_at
                 FROM opt_out same
                WHERE same.account_id = o.account_id
                  AND same.recipient = other.recipient
                  AND same.sender = o.sender
             ) < o.created_at,
             true
           )
  ), change AS MATERIALIZED (
    -- the latest of each key
    SELECT DISTINCT ON (account_id, recipient, sender)
           account_id, recipient, sender, consent, source, reason, at
      FROM (
        SELECT account_id, recipient, sender, consent, source, reason, at, true AS is_stated
          FROM consent
         UNION ALL
        SELECT account_id, recipient, sender, 'inherited', source, reason, at, false
          FROM followed
      ) AS each
     ORDER BY account_id, recipient, sender, at DESC, is_stated DESC
  ), ${CONSENT_STEPS}
  ), ${RECEIVED_EVENTS}`;

/**
 * Stores messages that recipients wrote, each with an event of status RECEIVED, which its pushes refer to. A message
 * that the gateway called back about before is not stored again. The same statement sets the time at which each pair
 * was last written from, apart from notices of the provider, and applies the latest change of consent of each writer:
 * STOP adds an opt-out from the number, START removes one that is older, also if they are processed in another order.
 * Both count for the number and for the user
 * id of the writer. An earlier opt-out of either holds for both from the first message that shows them together, and
 * for a user id that replaces another one.
 */
export async function insertInbounds(db: EntityManager, messages: NewInbound[]): Promise<StoredInbounds> {
  if (messages.length === 0) return { reportIds: [], unowned: [] };
  return withWritersLocked(db, consentingWriters(messages), async (locked) => {
    const [row]: [StoredInbounds] = await locked.query(INSERT, INBOUNDS.values(messages));
    return row;
  });
}

/** An opt-out that a recipient stated to the provider, or its end. */
export interface ConsentChange {
  recipient: string;
  sender: string;
  consent: 'stop' | 'start';
  at: Date;
}

const CONSENTS = rowset('given', { recipient: 'text', sender: 'text', consent: 'text', at: 'timestamptz' });

const APPLY_CONSENTS = sql`
  WITH change AS MATERIALIZED (
    SELECT DISTINCT ON (owner.account_id, identity.recipient, given.sender)
           owner.account_id, identity.recipient, given.sender, given.consent, 'gateway' AS source,
           'refuses marketing messages' AS reason, LEAST(given.at, now()) AS at
      FROM ${CONSENTS.from}
      JOIN chat_sender owner ON owner.msisdn = given.sender
     CROSS JOIN LATERAL (
       ${identitiesOf('owner.account_id', 'given.recipient')}
     ) AS identity
     ORDER BY owner.account_id, identity.recipient, given.sender, given.at DESC, given.consent
  ), ${CONSENT_STEPS}
  )
  SELECT`;

/**
 * Stores the changes of consent that recipients stated to the provider about messages from a number: an opt-out, or
 * the end of an opt-out that came the same way. A change counts for the number and the user ids of the recipient.
 * Numbers that no account owns are skipped.
 */
export async function applyConsentChanges(db: EntityManager, consents: ConsentChange[]): Promise<void> {
  if (consents.length === 0) return;
  await withWritersLocked(db, consents, (locked) => locked.query(APPLY_CONSENTS, CONSENTS.values(consents)));
}
