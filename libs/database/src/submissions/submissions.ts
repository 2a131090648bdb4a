import { FAN_OUT_CHUNK, IDEMPOTENCY_HOURS, LIFETIME_HOURS } from '@signalbox/domain/limits';
import type { ChatContent, ChatKind } from '@signalbox/domain/chat/message';
import { type AnyLane, CHAT_LANES, type ChatLane, LANES, type Lane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { TextPiece } from '@signalbox/domain/sms/text';
import type { EntityManager } from 'typeorm';
import { FANNED_OUT, TAKEN_CHUNK, insertChunks } from './chunks.ts';
import { isOptedOut } from './endings.ts';
import { guard } from '../core/guard.ts';
import { quietColumns, quietNow } from './quiet.ts';

/** What every SMS of a submission has in common. Its text is `text` or `pieces`; both are missing while it is sealed, or wiped after dispatch. */
export interface SmsContent {
  /** What every recipient gets. */
  text?: string;
  /** The text when links or values make it differ by recipient. */
  pieces?: TextPiece[];
  /** Where the links of `pieces` lead, in the order of their numbers, and what their addresses begin with. */
  links?: { base: string; targets: string[] };
  templateId?: string;
  /** What the template is registered as with India's DLT. */
  dlt?: { entityId: string | null; templateId: string | null };
  unicode: boolean;
  flash: boolean;
}

/** The first use of an idempotency key, stored in the transaction of the call that it names. */
export interface IdempotentCall {
  path: string;
  key: string;
  bodyHash: Buffer;
}

/** What carries a message. */
export type Channel = 'sms' | 'chatapp';

/** One accepted API call. */
export interface NewSubmission {
  id: string;
  accountId: string;
  channel: Channel;
  kind: 'text' | ChatKind;
  lane: AnyLane;
  sender: string;
  content: SmsContent | ChatContent;
  /** The text of an OTP message, or the code of a chat-app template that carries one; encrypted. */
  sealed: Buffer | null;
  /** Digits only; message n goes to recipients[n - 1]. */
  recipients: string[];
  /** The values of message n are custom[n - 1]; null when the text holds no values of recipients. */
  custom: string[][] | null;
  /** Parts of one message. */
  credits: number;
  /** Parts of message n are creditsEach[n - 1]; null when all have `credits`. */
  creditsEach: number[] | null;
  campaign: string | null;
  clientRef: string | null;
  /** Not submitted before this; null for at once. */
  sendAt: Date | null;
  /** Not submitted after this; null for the lifetime of its lane. */
  expiresAt: Date | null;
  ratePerSecond: number | null;
  /** Nobody rings for it: it waits for its time or its turn, and the pass over waiting submissions finds it. */
  waits: boolean;
  idempotency: IdempotentCall | null;
}

const LIFETIME = `CASE lane ${[...LANES, ...CHAT_LANES].map((lane) => `WHEN '${lane}' THEN interval '${LIFETIME_HOURS[lane]} hours'`).join(' ')} END`;

/** Neither a submission whose idempotency key was used before is stored, nor one to a single recipient who has opted out. */
export type InsertOutcome = 'stored' | 'key_used' | 'opted_out';

/**
 * Stores accepted calls, together with their idempotency keys, in one statement: all or nothing.
 * The same key must not come twice in one batch (the caller refuses a key that is still running).
 *
 * @returns one outcome per submission, in order
 */
export async function insertSubmissions(
  db: EntityManager,
  submissions: NewSubmission[],
): Promise<InsertOutcome[]> {
  const told: { id: string; outcome: InsertOutcome }[] = await db.query(
    `WITH call AS MATERIALIZED (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::bytea[], $7::text[], $8::smallint[],
                            $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::jsonb[], $15::text[],
                            $16::timestamptz[], $17::timestamptz[], $18::integer[], $19::boolean[], $20::text[], $21::text[])
         AS c(id, account_id, lane, sender, content, sealed, recipients, credits, campaign, client_ref, path, key, body_hash, custom, credits_each,
              send_at, expires_at, rate_per_second, waits, channel, kind)
     ), refused AS MATERIALIZED (
       SELECT id FROM call WHERE strpos(recipients, ',') = 0 AND ${isOptedOut('call', 'recipients')}
     ), keyed AS (
       INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, submission_id)
       SELECT account_id, path, key, body_hash, id FROM call WHERE key IS NOT NULL AND NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id)
       ON CONFLICT ON CONSTRAINT idempotency_key_pkey
       DO UPDATE SET body_hash = EXCLUDED.body_hash, submission_id = EXCLUDED.submission_id, created_at = now()
               WHERE k.created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'
       RETURNING submission_id
     ), stored AS (
     INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom, credits, credits_each, campaign, client_ref,
                             send_at, due_at, expires_at, rate_per_second, waits)
     SELECT id, account_id, channel, kind, lane, sender, content, sealed, string_to_array(recipients, ','), custom,
            credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref,
            send_at, COALESCE(send_at, now()), COALESCE(expires_at, COALESCE(send_at, now()) + ${LIFETIME}), rate_per_second, waits
       FROM call WHERE CASE WHEN key IS NULL THEN NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id) ELSE id IN (SELECT submission_id FROM keyed) END
     RETURNING id
     )
     SELECT id, 'stored' AS outcome FROM stored UNION ALL SELECT id, 'opted_out' FROM refused`,
    submissionColumns(submissions),
  );
  const outcomes = new Map(told.map(({ id, outcome }) => [id, outcome]));
  return submissions.map(({ id }) => outcomes.get(id) ?? 'key_used');
}

function submissionColumns(submissions: NewSubmission[]): unknown[] {
  return [
    submissions.map((s) => s.id),
    submissions.map((s) => s.accountId),
    submissions.map((s) => s.lane),
    submissions.map((s) => s.sender),
    submissions.map((s) => JSON.stringify(s.content)),
    submissions.map((s) => s.sealed),
    submissions.map((s) => s.recipients.join(',')),
    submissions.map((s) => s.credits),
    submissions.map((s) => s.campaign),
    submissions.map((s) => s.clientRef),
    submissions.map((s) => s.idempotency?.path ?? null),
    submissions.map((s) => s.idempotency?.key ?? null),
    submissions.map((s) => s.idempotency?.bodyHash ?? null),
    submissions.map((s) => s.custom && JSON.stringify(s.custom)),
    submissions.map((s) => s.creditsEach?.join(',') ?? null),
    submissions.map((s) => s.sendAt?.toISOString() ?? null),
    submissions.map((s) => s.expiresAt?.toISOString() ?? null),
    submissions.map((s) => s.ratePerSecond),
    submissions.map((s) => s.waits),
    submissions.map((s) => s.channel),
    submissions.map((s) => s.kind),
  ];
}

/** What a repeated call needs of its first one to give the same answer. */
export interface FirstCall {
  bodyHash: Buffer;
  submissionId: string;
  recipients: string[];
  /** What of its content an answer repeats; a chat-app message has neither. */
  content: { unicode?: boolean; flash?: boolean };
}

/** The send that first used an idempotency key; undefined when there is none, or it is too old to count. */
export async function findFirstCall(
  db: EntityManager,
  accountId: string,
  path: string,
  key: string,
): Promise<FirstCall | undefined> {
  const [row]: FirstCall[] = await db.query(
    `SELECT k.body_hash AS "bodyHash", s.id AS "submissionId", s.recipients, s.content
       FROM idempotency_key k JOIN submission s ON s.id = k.submission_id
      WHERE k.account_id = $1 AND k.path = $2 AND k.key = $3 AND k.created_at >= now() - interval '${IDEMPOTENCY_HOURS} hours'`,
    [accountId, path, key],
  );
  return row;
}

/** Recipients from..upto of a submission (counted from 0), claimed by this worker for LEASE_SECONDS. */
export interface FannedOut {
  id: string;
  accountId: string;
  sender: string;
  content: SmsContent;
  sealed: Buffer | null;
  from: number;
  recipients: string[];
  /** One list of values per recipient; null when the text holds none. */
  custom: string[][] | null;
  /** Whether this was the last chunk of the submission. */
  complete: boolean;
  /** The n of those that are not to be submitted now, because they are held by quiet hours or have ended; null when there are none. */
  skipped: number[] | null;
  /** The reports of those that ended, to be rung for; null when there are none. */
  reportIds: string[] | null;
}

/**
 * Fans submissions out into one message per recipient, each with its position n (spec 2.5), at most FAN_OUT_CHUNK each.
 * A submission fanned out before yields nothing, so a repeated job is harmless; a large one yields its next chunk. Those that wait
 * for their time, have a rate of their own or held messages, and all of a lane while quiet hours are in force, are not taken by name:
 * `fanOutFairly` takes them.
 *
 * @param quiet the quiet hours of the lane
 * @returns what was fanned out now; its messages are claimed for `leaseSeconds`, but for those that ended
 */
export function fanOut(
  db: EntityManager,
  ids: string[],
  leaseSeconds: number,
  quiet: readonly QuietRule[] = [],
): Promise<FannedOut[]> {
  return db.query(
    `WITH ${quietNow(3)}, taken AS (
       UPDATE submission s
          SET fanned_from = s.fanned_upto,
              fanned_upto = LEAST(s.fanned_upto + ${FAN_OUT_CHUNK}, cardinality(s.recipients)),
              fanned_out_at = CASE WHEN s.fanned_upto + ${FAN_OUT_CHUNK} >= cardinality(s.recipients) THEN now() END
        WHERE s.id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM quiet)
          AND ${guard('s.fanned_out_at IS NULL AND NOT s.waits AND s.rate_per_second IS NULL AND s.held_until IS NULL')}
       RETURNING ${TAKEN_CHUNK}
     ), ${insertChunks('$2')}
     SELECT ${FANNED_OUT} FROM taken`,
    [ids, leaseSeconds, ...quietColumns(quiet)],
  );
}

const DUE_LIMIT = 5_000;

/**
 * Makes submissions of a channel ready whose time has come by the database's clock, the earliest first; those that somebody is at are passed over.
 *
 * @returns the lanes they are in
 */
export async function readyDue(db: EntityManager, channel: 'sms'): Promise<Lane[]>;
export async function readyDue(db: EntityManager, channel: 'chatapp'): Promise<ChatLane[]>;
export async function readyDue(db: EntityManager, channel: Channel): Promise<AnyLane[]> {
  const [rows] = (await db.query(
    `UPDATE submission SET waits = false
      WHERE id IN (SELECT id FROM submission WHERE waits AND channel = $1 AND due_at <= now() ORDER BY channel, due_at LIMIT ${DUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING lane`,
    [channel],
  )) as [{ lane: AnyLane }[], number];
  return [...new Set(rows.map((row) => row.lane))];
}

/**
 * Wipes the sealed texts of submissions that have nothing left to submit. A secret lives no longer than its dispatch
 * (design, section 3).
 */
export async function wipeDispatched(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(
    `UPDATE submission s SET sealed = NULL
      WHERE s.id = ANY($1::uuid[]) AND s.sealed IS NOT NULL AND s.fanned_out_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')`,
    [ids],
  );
}

const WIPED_AT_ONCE = 1_000;

/**
 * Wipes sealed texts that have nothing left to submit and that nobody wiped: their worker died at it, or their message ended otherwise. A bounded number at
 * a time.
 */
export async function wipeAbandonedSecrets(db: EntityManager): Promise<void> {
  await db.query(
    `UPDATE submission SET sealed = NULL
      WHERE id IN (SELECT s.id FROM submission s
                    WHERE s.sealed IS NOT NULL AND s.fanned_out_at < now() - interval '1 minute'
                      AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
                    ORDER BY s.fanned_out_at LIMIT ${WIPED_AT_ONCE} FOR UPDATE OF s SKIP LOCKED)`,
  );
}
