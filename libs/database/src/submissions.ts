import { FAN_OUT_CHUNK, IDEMPOTENCY_HOURS, LIFETIME_HOURS } from '@signalbox/domain/limits';
import { type Lane, LANES } from '@signalbox/domain/lane';
import type { TextPiece } from '@signalbox/domain/sms-text';
import type { EntityManager } from 'typeorm';
import { ENDED_COLUMNS, ENDED_RETURNING, ENDED_VALUES, ENDING_OF_SUBMISSION, reportEndings } from './endings.ts';
import { guard } from './guard.ts';

/** What every message of a submission has in common. Its text is `text` or `pieces`; both are missing while it is sealed, or wiped after dispatch. */
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

/** One accepted API call. */
export interface NewSubmission {
  id: string;
  accountId: string;
  lane: Lane;
  sender: string;
  content: SmsContent;
  /** The text of an OTP message, encrypted. */
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

const LIFETIME = `CASE lane ${LANES.map((lane) => `WHEN '${lane}' THEN interval '${LIFETIME_HOURS[lane]} hours'`).join(' ')} END`;

/** A submission whose idempotency key was used before is not stored. */
export type InsertOutcome = 'stored' | 'key_used';

/**
 * Stores accepted calls, together with their idempotency keys, in one statement: all or nothing.
 * The same key must not come twice in one batch (the caller refuses a key that is still running).
 *
 * @returns one outcome per submission, in order
 */
export async function insertSubmissions(db: EntityManager, submissions: NewSubmission[]): Promise<InsertOutcome[]> {
  const stored: { id: string }[] = await db.query(
    `WITH call AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::bytea[], $7::text[], $8::smallint[],
                            $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::jsonb[], $15::text[],
                            $16::timestamptz[], $17::timestamptz[], $18::integer[], $19::boolean[])
         AS c(id, account_id, lane, sender, content, sealed, recipients, credits, campaign, client_ref, path, key, body_hash, custom, credits_each,
              send_at, expires_at, rate_per_second, waits)
     ), keyed AS (
       INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, submission_id)
       SELECT account_id, path, key, body_hash, id FROM call WHERE key IS NOT NULL
       ON CONFLICT ON CONSTRAINT idempotency_key_pkey
       DO UPDATE SET body_hash = EXCLUDED.body_hash, submission_id = EXCLUDED.submission_id, created_at = now()
               WHERE k.created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'
       RETURNING submission_id
     )
     INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom, credits, credits_each, campaign, client_ref,
                             send_at, due_at, expires_at, rate_per_second, waits)
     SELECT id, account_id, 'sms', 'text', lane, sender, content, sealed, string_to_array(recipients, ','), custom,
            credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref,
            send_at, COALESCE(send_at, now()), COALESCE(expires_at, COALESCE(send_at, now()) + ${LIFETIME}), rate_per_second, waits
       FROM call WHERE key IS NULL OR id IN (SELECT submission_id FROM keyed)
     RETURNING id`,
    submissionColumns(submissions),
  );
  if (stored.length === submissions.length) return submissions.map(() => 'stored');
  const ids = new Set(stored.map((row) => row.id));
  return submissions.map(({ id }) => (ids.has(id) ? 'stored' : 'key_used'));
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
  ];
}

/** What a repeated call needs of its first one to give the same answer. */
export interface FirstCall {
  bodyHash: Buffer;
  submissionId: string;
  recipients: string[];
  content: SmsContent;
}

/** The send that first used an idempotency key; undefined when there is none, or it is too old to count. */
export async function findFirstCall(db: EntityManager, accountId: string, path: string, key: string): Promise<FirstCall | undefined> {
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
  /** The n of those that are not to be submitted now, because they have ended; null when there are none. */
  skipped: number[] | null;
  /** The reports of those that ended, to be rung for; null when there are none. */
  reportIds: string[] | null;
}

/**
 * Fans submissions out into one message per recipient, each with its position n (spec 2.5), at most FAN_OUT_CHUNK each.
 * A submission fanned out before yields nothing, so a repeated job is harmless; a large one yields its next chunk. Those that wait
 * for their time or are paced yield nothing either: they are not taken by name.
 *
 * @returns what was fanned out now; its messages are claimed for `leaseSeconds`, but for those that ended
 */
export function fanOut(db: EntityManager, ids: string[], leaseSeconds: number): Promise<FannedOut[]> {
  return db.query(
    `WITH taken AS (
       UPDATE submission s
          SET fanned_from = s.fanned_upto,
              fanned_upto = LEAST(s.fanned_upto + ${FAN_OUT_CHUNK}, cardinality(s.recipients)),
              fanned_out_at = CASE WHEN s.fanned_upto + ${FAN_OUT_CHUNK} >= cardinality(s.recipients) THEN now() END
        WHERE s.id = ANY($1::uuid[]) AND ${guard(`s.fanned_out_at IS NULL AND NOT s.waits`)}
       RETURNING ${TAKEN_CHUNK}
     ), ${INSERT_CHUNKS('$2')}
     SELECT ${FANNED_OUT} FROM taken`,
    [ids, leaseSeconds],
  );
}

/** What an UPDATE of a submission `s` that takes its next chunk returns. */
const TAKEN_CHUNK = `
  s.id, s.account_id, s.sender, s.content, s.sealed, s.credits, s.fanned_from, s.fanned_upto, s.fanned_out_at, s.custom,
  s.recipients[s.fanned_from + 1 : s.fanned_upto] AS recipients, s.credits_each[s.fanned_from + 1 : s.fanned_upto] AS credits_each,
  ${ENDING_OF_SUBMISSION} AS ending`;

/** The messages of chunks that were taken (CTE `taken`), claimed or ended, and the reports of the latter. */
const INSERT_CHUNKS = (leaseSeconds: string): string => `
  inserted AS (
    INSERT INTO message (submission_id, n, account_id, recipient, credits, claimed_until, ${ENDED_COLUMNS})
    SELECT id, n, account_id, recipient, credits, now() + make_interval(secs => ${leaseSeconds}), ${ENDED_VALUES}
      FROM (SELECT taken.id, taken.fanned_from + r.n AS n, taken.account_id, r.recipient, COALESCE(r.credits, taken.credits) AS credits, taken.ending
              FROM taken, unnest(taken.recipients, taken.credits_each) WITH ORDINALITY AS r(recipient, credits, n)) AS one
    RETURNING ${ENDED_RETURNING}
  ), findable AS (
    INSERT INTO message_recipient (account_id, recipient, submission_id, n)
    SELECT taken.account_id, r.recipient, taken.id, taken.fanned_from + r.n
      FROM taken, unnest(taken.recipients) WITH ORDINALITY AS r(recipient, n)
  ), reported AS (${reportEndings('inserted')})`;

/** Columns of FannedOut. What was set aside is looked for only when there is any: each look reads all of the batch. */
const FANNED_OUT = `
  id, account_id AS "accountId", sender, content, sealed, fanned_from AS "from", recipients, fanned_out_at IS NOT NULL AS complete,
  jsonb_path_query_array(custom, '$[$from to $upto]', jsonb_build_object('from', fanned_from, 'upto', fanned_upto - 1)) AS custom,
  CASE WHEN EXISTS (SELECT FROM inserted WHERE status = 'FAILED')
       THEN (SELECT array_agg(n) FROM inserted WHERE submission_id = taken.id AND status = 'FAILED') END AS skipped,
  CASE WHEN EXISTS (SELECT FROM reported) THEN (SELECT array_agg(r.id) FROM reported r WHERE r.submission_id = taken.id) END AS "reportIds"`;

/** A submission that waits no longer. */
export interface DueSubmission {
  id: string;
  lane: Lane;
  /** How many of its recipients are not fanned out yet. */
  recipients: number;
}

const DUE_LIMIT = 2_000;

/** Makes submissions ready whose time has come by the database's clock, the earliest first; those that somebody is at are passed over. */
export async function readyDue(db: EntityManager): Promise<DueSubmission[]> {
  const [rows] = (await db.query(
    `UPDATE submission SET waits = false
      WHERE id IN (SELECT id FROM submission WHERE waits AND due_at <= now() ORDER BY due_at LIMIT ${DUE_LIMIT} FOR UPDATE SKIP LOCKED)
     RETURNING id, lane, cardinality(recipients) - fanned_upto AS recipients`,
  )) as [DueSubmission[], number];
  return rows;
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
