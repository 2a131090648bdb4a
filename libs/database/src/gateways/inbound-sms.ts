import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { withWritersLocked } from '../accounts/opt-out-ends.ts';
import {
  type StoredInbounds,
  WRITTEN,
  type WrittenMessage,
  consentingWriters,
} from '../chat/inbound-messages.ts';
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
  return withWritersLocked(db, consentingWriters(messages), async (locked) => {
    const [row]: [StoredInbounds] = await locked.query(INSERT, INBOUNDS.values(messages));
    return row;
  });
}

/** A message that its gateway refused because the recipient opted out with the vendor. */
export interface GatewayOptOut extends MessageKey {
  at: Date;
}

/** Adds an opt-out of the recipient from the sender of each message, unless the recipient opted in later. */
export async function insertGatewayOptOuts(
  db: EntityManager,
  optOuts: readonly GatewayOptOut[],
): Promise<void> {
  if (optOuts.length > 0) await db.query(OPT_OUT, OPT_OUTS.values(optOuts));
}

const OPT_OUTS = rowset('given', { submission_id: 'uuid', n: 'integer', at: 'timestamptz' });

const OPT_OUT = sql`
  WITH change AS MATERIALIZED (
    SELECT DISTINCT ON (s.account_id, s.recipients[given.n], s.sender)
           s.account_id, s.recipients[given.n] AS recipient, s.sender, 'stop' AS consent, 'gateway' AS source,
           NULL AS reason, LEAST(given.at, now()) AS at
      FROM ${OPT_OUTS.from}
      JOIN submission s ON s.id = given.submission_id
     WHERE s.recipients[given.n] IS NOT NULL
     ORDER BY s.account_id, s.recipients[given.n], s.sender, given.at DESC
  ), ${CONSENT_STEPS}
  )
  SELECT`;
