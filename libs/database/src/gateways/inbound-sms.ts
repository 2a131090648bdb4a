import type { EntityManager } from 'typeorm';
import { type StoredInbounds, WRITTEN, type WrittenMessage } from '../chat/inbound-messages.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { CONSENT_STEPS, writtenConsents } from '../chat/consent-steps.ts';
import { RECEIVED_EVENTS } from '../chat/received-events.ts';

/** An SMS that a recipient wrote. */
export interface NewInboundSms extends WrittenMessage {
  text: string;
  /** The account that an operator gave it to. */
  givenTo?: string | null;
}

const INBOUNDS = rowset('given', {
  ...WRITTEN,
  text: 'text',
  given_to: ['uuid', (inbound: NewInboundSms) => inbound.givenTo],
  sent_at: 'timestamptz',
  received_at: 'timestamptz',
  consent: 'text',
});

/**
 * The account of the first route through the gateway that serves one account; a route that names the number is first.
 */
const ROUTED = sql`
  SELECT a.id AS account_id
    FROM route rt
    JOIN account a ON a.id::text = rt.match->'accounts'->>0
   WHERE rt.enabled
     AND jsonb_array_length(rt.match->'accounts') = 1
     AND (rt.targets @> jsonb_build_array(jsonb_build_object('gateway', given.gateway))
       OR rt.fallbacks ? given.gateway)
     AND COALESCE(rt.match->'senders' ? given.recipient, true)
   ORDER BY rt.match->'senders' IS NULL, rt.priority, rt.id
   LIMIT 1`;

const INSERT = sql`
  WITH given AS MATERIALIZED (
    SELECT given.*, COALESCE(given.given_to, sa.account_id, routed.account_id) AS account_id
      FROM ${INBOUNDS.from}
      LEFT JOIN sender_assignment sa
        ON sa.msisdn = given.recipient
       AND COALESCE(sa.quarantined_until > now(), true)
      LEFT JOIN LATERAL (
        ${ROUTED}
      ) AS routed ON sa.account_id IS NULL AND given.given_to IS NULL
  ), stored AS (
    INSERT INTO inbound_message (id, account_id, gateway, gateway_message_id, sender, recipient, kind, content,
                                 sent_at, received_at)
    SELECT id, account_id, gateway, gateway_message_id, sender, recipient, 'text',
           jsonb_build_object('text', jsonb_build_object('body', text)), sent_at, received_at
      FROM given
     WHERE account_id IS NOT NULL
     ORDER BY gateway, gateway_message_id, id
    ON CONFLICT DO NOTHING
    RETURNING id, account_id, gateway, sender, recipient, sent_at, LEAST(sent_at, now()) AS written_at
  ), change AS MATERIALIZED (
    ${writtenConsents('stored')}
  ), ${CONSENT_STEPS}
  ), ${RECEIVED_EVENTS}`;

/**
 * Stores inbound SMS, each with an event of status RECEIVED, which its pushes refer to. A number belongs to the
 * account that it is assigned to, else to the only account that a route through the gateway serves. A message that
 * came before is not stored again. STOP adds an opt-out from the number, START removes one that is older.
 */
export async function insertInboundSms(
  db: EntityManager,
  messages: NewInboundSms[],
): Promise<StoredInbounds> {
  if (messages.length === 0) return { reportIds: [], unowned: [] };
  const [row]: [StoredInbounds] = await db.query(INSERT, INBOUNDS.values(messages));
  return row;
}

/** Adds an opt-out of the recipient from the sender for each of these messages, whose gateway reported one. */
export async function insertGatewayOptOuts(
  db: EntityManager,
  messages: readonly { submissionId: string; n: number }[],
): Promise<void> {
  if (messages.length > 0) await db.query(OPT_OUT, MESSAGES.values(messages));
}

const MESSAGES = rowset('given', { submission_id: 'uuid', n: 'integer' });

const OPT_OUT = sql`
  INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
  SELECT DISTINCT ON (s.account_id, s.recipients[given.n], s.sender)
         s.account_id, s.recipients[given.n], s.sender, uuidv7(), 'gateway', NULL, now()
    FROM ${MESSAGES.from}
    JOIN submission s ON s.id = given.submission_id
   WHERE s.recipients[given.n] IS NOT NULL
   ORDER BY s.account_id, s.recipients[given.n], s.sender
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING`;
