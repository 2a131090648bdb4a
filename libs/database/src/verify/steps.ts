import type { OtpChannel } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { type NewSubmission, insertSubmissions } from '../submissions/submissions.ts';
import { MIN_UUID } from '@signalbox/domain/id-time';

/** The submission of a step before it is stored. Its code, or the text with the code, is sealed separately. */
export type StepMessage = Pick<NewSubmission, 'channel' | 'kind' | 'lane' | 'sender' | 'content' | 'credits'>;

/** The recipient of a code, and its expiry. */
export interface CodeAddress {
  accountId: string;
  recipient: string;
  expiresAt: Date;
}

/**
 * Returns the submission that carries a code. It expires with the code: a message that could only come late is not
 * sent.
 */
export function codeSubmission(
  id: string,
  address: CodeAddress,
  message: StepMessage,
  sealed: Buffer,
): NewSubmission {
  const { accountId, recipient, expiresAt } = address;
  return {
    ...message,
    id,
    accountId,
    sealed,
    recipients: [recipient],
    custom: null,
    creditsEach: null,
    campaign: null,
    clientRef: null,
    sendAt: null,
    expiresAt,
    ratePerSecond: null,
    waits: false,
    idempotency: null,
  };
}

/** One step of the flow of a code. */
export interface NewStep {
  /** From 1, in the order of the flow. */
  step: number;
  channel: OtpChannel;
  afterSeconds: number;
  stopsOnDelivery: boolean;
  /** The submission of a step that is taken now; null for other steps. */
  submissionId: string | null;
  /** The reason why it cannot be taken; null when it can. */
  skipReason: string | null;
  /** The message of a step that waits; null for other steps. */
  later: { message: StepMessage; sealed: Buffer } | null;
}

type StoredStep = NewStep & { verifyId: string; accountId: string };

const STEPS = rowset('given', {
  verification_id: ['uuid', (step: StoredStep) => step.verifyId],
  step: 'smallint',
  account_id: 'uuid',
  channel: 'text',
  reason: ['text', (step: StoredStep) => step.skipReason],
  after_seconds: 'integer',
  stops_on_delivery: 'boolean',
  submission_id: 'uuid',
  message: ['jsonb', (step: StoredStep) => step.later?.message],
  sealed: ['bytea', (step: StoredStep) => step.later?.sealed],
});

const INSERT = sql`
  INSERT INTO verification_step (verification_id, step, account_id, channel, status, reason, due_at,
                                 stops_on_delivery, submission_id, message, sealed)
  SELECT verification_id, step, account_id, channel,
         CASE
           WHEN submission_id IS NOT NULL THEN 'SENT'
           WHEN sealed IS NOT NULL THEN 'WAITING'
           ELSE 'SKIPPED'
         END,
         reason, now() + make_interval(secs => after_seconds), stops_on_delivery, submission_id, message, sealed
    FROM ${STEPS.from}`;

/** Stores the steps of verifications that get their codes in this transaction. */
export async function insertSteps(db: EntityManager, steps: StoredStep[]): Promise<void> {
  if (steps.length > 0) await db.query(INSERT, STEPS.values(steps));
}

/** The result of one pass over the waiting steps. */
export interface StepRound {
  /** Submissions that were stored, to be enqueued. */
  sent: NewSubmission[];
  stopped: number;
  /** The `after` of the next pass; null to begin with the first step. */
  next: string | null;
}

/**
 * Decides on waiting steps. A step is stopped when its code was used, replaced or expired, or when an earlier message
 * was delivered and the flow stops on that. A step gets its submission, in the same transaction, when its time has come
 * or the message before it failed. Either wipes the code from its row. Skips locked verifications: a code that is being
 * tried is decided on in a later pass.
 *
 * @param sealFor seals the secret of a step for its submission
 * @param after the `next` of the last pass: steps that are due are always decided on, of the others `limit` per pass
 */
export function claimSteps(
  db: EntityManager,
  after: string | null,
  limit: number,
  sealFor: (step: TakenStep) => Buffer,
): Promise<StepRound> {
  return db.transaction(async (transaction) => {
    const rows: DecidedStep[] = await transaction.query(DECIDE, [after ?? MIN_UUID, limit]);
    const sent = rows
      .filter((row) => isTaken(row))
      .map((row) => codeSubmission(row.submissionId, row, row.message, sealFor(row)));
    if (sent.length > 0) await insertSubmissions(transaction, sent);
    const decided = rows.filter(({ verifyId }) => verifyId !== null).length;
    return { sent, stopped: decided - sent.length, next: rows[0]?.next ?? null };
  });
}

/** A step that gets its submission, with its secret sealed for the row of the step. */
export interface TakenStep extends CodeAddress {
  verifyId: string;
  step: number;
  submissionId: string;
  sealed: Buffer;
}

/** The statement returns at least one row, which has no step when none was decided on. */
interface DecidedStep extends Omit<TakenStep, 'verifyId' | 'submissionId'> {
  next: string | null;
  verifyId: string | null;
  submissionId: string | null;
  message: StepMessage;
}

function isTaken(row: DecidedStep): row is DecidedStep & TakenStep {
  return row.submissionId !== null;
}

/**
 * $1 the verification to begin behind, $2 the most steps read before their time, and the most that are due. A flow has
 * one step for each of two channels, so the message before a waiting step is the verification's first.
 */
const DECIDE = sql`
  WITH looked_at AS MATERIALIZED (
    SELECT verification_id, step
      FROM verification_step
     WHERE status = 'WAITING'
       AND verification_id > $1::uuid
     ORDER BY verification_id
     LIMIT $2::integer
  ), candidate AS MATERIALIZED (
    SELECT verification_id, step
      FROM looked_at
     UNION
    (SELECT verification_id, step
       FROM verification_step
      WHERE status = 'WAITING'
        AND due_at <= now()
      ORDER BY due_at
      LIMIT $2::integer)
  ), decided AS MATERIALIZED (
    SELECT vs.verification_id, vs.step, vs.message, vs.sealed, v.account_id, v.recipient, v.expires_at,
           CASE
             WHEN v.status <> 'SENT' THEN lower(v.status)
             WHEN v.expires_at <= now() THEN 'expired'
             WHEN vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ') THEN 'delivered'
           END AS reason
      FROM candidate
      JOIN verification_step vs ON vs.verification_id = candidate.verification_id AND vs.step = candidate.step
      JOIN verification v ON v.id = vs.verification_id
      LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
     WHERE vs.status = 'WAITING'
       AND (v.status <> 'SENT'
            OR v.expires_at <= now()
            OR vs.due_at <= now()
            OR m.status = 'FAILED'
            OR vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))
       FOR UPDATE OF vs, v SKIP LOCKED
  ), moved AS (
    UPDATE verification_step vs
       SET status = CASE WHEN d.reason IS NULL THEN 'SENT' ELSE 'STOPPED' END,
           reason = d.reason,
           submission_id = CASE WHEN d.reason IS NULL THEN uuidv7() END,
           message = NULL,
           sealed = NULL
      FROM decided d
     WHERE vs.verification_id = d.verification_id
       AND vs.step = d.step
       AND vs.status = 'WAITING'
    RETURNING vs.verification_id AS "verifyId", vs.step, vs.submission_id AS "submissionId", d.account_id AS "accountId",
              d.recipient, d.expires_at AS "expiresAt", d.message, d.sealed
  )
  SELECT place.next, moved.*
    FROM (
      SELECT CASE WHEN count(*) = $2 THEN
               (array_agg(verification_id ORDER BY verification_id DESC))[1]
             END AS next
        FROM looked_at
    ) AS place
    LEFT JOIN moved ON true`;
