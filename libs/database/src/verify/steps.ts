import type { OtpChannel } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import { type NewSubmission, insertSubmissions } from '../submissions/submissions.ts';

/** What is known of a step's submission before it is stored; its code, or the text with it, is sealed beside. */
export type StepMessage = Pick<NewSubmission, 'channel' | 'kind' | 'lane' | 'sender' | 'content' | 'credits'>;

/** Whom a code goes to, and until when. */
export interface CodeAddress {
  accountId: string;
  recipient: string;
  expiresAt: Date;
}

/** The submission that carries a code. It ends with the code: a message that could only come late is not sent. */
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

/** One step of the flow of a code that was made. */
export interface NewStep {
  /** From 1, in the order of the flow. */
  step: number;
  channel: OtpChannel;
  afterSeconds: number;
  stopsOnDelivery: boolean;
  /** Of a step that is taken now. */
  submissionId: string | null;
  /** Why it cannot be taken. */
  skipReason: string | null;
  /** What a step that waits will send. */
  later: { message: StepMessage; sealed: Buffer } | null;
}

/** Stores the steps of verifications that get their codes in this transaction. */
export async function insertSteps(
  db: EntityManager,
  steps: (NewStep & { verifyId: string; accountId: string })[],
): Promise<void> {
  if (steps.length === 0) return;
  await db.query(
    `INSERT INTO verification_step (verification_id, step, account_id, channel, status, reason, due_at, stops_on_delivery, submission_id, message, sealed)
     SELECT verification_id, step, account_id, channel,
            CASE WHEN submission_id IS NOT NULL THEN 'SENT' WHEN sealed IS NOT NULL THEN 'WAITING' ELSE 'SKIPPED' END,
            reason, now() + make_interval(secs => after_seconds), stops_on_delivery, submission_id, message, sealed
       FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::boolean[], $8::uuid[], $9::jsonb[], $10::bytea[])
         AS s(verification_id, step, account_id, channel, reason, after_seconds, stops_on_delivery, submission_id, message, sealed)`,
    [
      steps.map((s) => s.verifyId),
      steps.map((s) => s.step),
      steps.map((s) => s.accountId),
      steps.map((s) => s.channel),
      steps.map((s) => s.skipReason),
      steps.map((s) => s.afterSeconds),
      steps.map((s) => s.stopsOnDelivery),
      steps.map((s) => s.submissionId),
      steps.map((s) => s.later && JSON.stringify(s.later.message)),
      steps.map((s) => s.later?.sealed ?? null),
    ],
  );
}

/** What one look at the steps that wait has led to. */
export interface StepRound {
  /** Submissions that were stored, to be rung for. */
  sent: NewSubmission[];
  stopped: number;
  /** Where the next look begins; null at the beginning. */
  next: string | null;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Decides on steps that wait. One whose code is used, replaced or over is stopped, and so is one that an earlier message has made needless;
 * one whose time has come, or before which the message failed, gets its submission, in the same transaction. With either, nothing of the
 * code is left in its row. Verifications are held, so that a code that is being tried is decided on the next time.
 *
 * @param after where the last look ended: those that are due are always looked at, of the others `limit` at a time
 */
export function claimSteps(db: EntityManager, after: string | null, limit: number): Promise<StepRound> {
  return db.transaction(async (transaction) => {
    const rows: DecidedStep[] = await transaction.query(DECIDE, [after ?? NOBODY, limit]);
    const sent = rows.flatMap(({ submissionId, message, sealed, ...address }) =>
      submissionId === null ? [] : [codeSubmission(submissionId, address, message, sealed)],
    );
    if (sent.length > 0) await insertSubmissions(transaction, sent);
    const decided = rows.filter(({ verifyId }) => verifyId !== null).length;
    return { sent, stopped: decided - sent.length, next: rows[0]?.next ?? null };
  });
}

/** There is one row at least, which holds no step when none was decided on. */
interface DecidedStep extends CodeAddress {
  next: string | null;
  verifyId: string | null;
  submissionId: string | null;
  message: StepMessage;
  sealed: Buffer;
}

/**
 * $1 the verification to begin behind, $2 the most of those that are looked at before their time, and of those that are due. A flow has one
 * step for each of two channels: the message before a step that waits is the verification's first.
 */
const DECIDE = `
  WITH looked_at AS MATERIALIZED (
    SELECT verification_id, step FROM verification_step WHERE status = 'WAITING' AND verification_id > $1::uuid ORDER BY verification_id LIMIT $2::integer
  ), candidate AS MATERIALIZED (
    SELECT verification_id, step FROM looked_at
     UNION
    (SELECT verification_id, step FROM verification_step WHERE status = 'WAITING' AND due_at <= now() ORDER BY due_at LIMIT $2::integer)
  ), decided AS MATERIALIZED (
    SELECT s.verification_id, s.step, s.message, s.sealed, v.account_id, v.recipient, v.expires_at,
           CASE WHEN v.status <> 'SENT' THEN lower(v.status) WHEN v.expires_at <= now() THEN 'expired'
                WHEN s.stops_on_delivery AND m.status IN ('DELIVERED', 'READ') THEN 'delivered' END AS reason
      FROM candidate c
      JOIN verification_step s ON s.verification_id = c.verification_id AND s.step = c.step
      JOIN verification v ON v.id = s.verification_id
      LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
     WHERE s.status = 'WAITING'
       AND (v.status <> 'SENT' OR v.expires_at <= now() OR s.due_at <= now() OR m.status = 'FAILED'
            OR s.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))
       FOR UPDATE OF s, v SKIP LOCKED
  ), moved AS (
    UPDATE verification_step s
       SET status = CASE WHEN d.reason IS NULL THEN 'SENT' ELSE 'STOPPED' END, reason = d.reason,
           submission_id = CASE WHEN d.reason IS NULL THEN uuidv7() END, message = NULL, sealed = NULL
      FROM decided d WHERE s.verification_id = d.verification_id AND s.step = d.step AND s.status = 'WAITING'
    RETURNING s.verification_id AS "verifyId", s.submission_id AS "submissionId", d.account_id AS "accountId", d.recipient,
              d.expires_at AS "expiresAt", d.message, d.sealed
  )
  SELECT place.next, moved.*
    FROM (SELECT CASE WHEN count(*) = $2 THEN (array_agg(verification_id ORDER BY verification_id DESC))[1] END AS next FROM looked_at) AS place
    LEFT JOIN moved ON true`;
