import type { OtpChannel } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
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
         reason,
         now() + make_interval(secs => CASE WHEN submission_id IS NULL THEN after_seconds ELSE 0 END),
         stops_on_delivery, submission_id, message, sealed
    FROM ${STEPS.from}`;

/** Stores the steps of verifications that get their codes in this transaction. */
export async function insertSteps(db: EntityManager, steps: StoredStep[]): Promise<void> {
  if (steps.length > 0) await db.query(INSERT, STEPS.values(steps));
}

/** Names a step. */
export interface StepKey {
  verifyId: string;
  step: number;
}

const KEYS = rowset('wanted', {
  verification_id: ['uuid', (key: StepKey) => key.verifyId],
  step: 'smallint',
});

/**
 * The waiting steps among `source` that can be decided on. A flow has one step for each of two channels, so the message
 * before a waiting step is the verification's first.
 */
const decidable = (source: string): string => sql`
  FROM ${source}
  JOIN verification_step vs ON vs.verification_id = wanted.verification_id AND vs.step = wanted.step
  JOIN verification v ON v.id = vs.verification_id
  LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
 WHERE vs.status = 'WAITING'
   AND (v.status <> 'SENT'
        OR v.expires_at <= now()
        OR vs.due_at <= now()
        OR m.status = 'FAILED'
        OR vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))`;

/** $1 the verification to begin after, $2 the maximum of steps that are read in its order, and of due ones. */
const LIST = sql`
  WITH in_order AS MATERIALIZED (
    SELECT verification_id, step
      FROM verification_step
     WHERE status = 'WAITING'
       AND verification_id > $1::uuid
     ORDER BY verification_id
     LIMIT $2::integer
  ), wanted AS MATERIALIZED (
    SELECT verification_id, step
      FROM in_order
     UNION
    (SELECT verification_id, step
       FROM verification_step
      WHERE status = 'WAITING'
        AND due_at <= now()
      ORDER BY due_at
      LIMIT $2::integer)
  )
  SELECT (SELECT CASE WHEN count(*) = $2 THEN
                   (array_agg(verification_id ORDER BY verification_id DESC))[1]
                 END
            FROM in_order) AS next,
         COALESCE((
           SELECT json_agg(json_build_object('verifyId', vs.verification_id, 'step', vs.step))
           ${decidable('wanted')}
         ), '[]') AS steps`;

/** One page of the waiting steps. */
export interface StepPage {
  /** Those that can be decided on. */
  steps: StepKey[];
  /** The `after` of the next page; null to begin with the first step. */
  next: string | null;
}

/**
 * Lists waiting steps that can be decided on: at most `limit` that are due, and those of the next `limit` steps after
 * `after` whose predecessor failed or was delivered, or whose verification has ended.
 */
export async function listSteps(db: EntityManager, after: string | null, limit: number): Promise<StepPage> {
  const [page]: [StepPage] = await db.query(LIST, [after ?? MIN_UUID, limit]);
  return page;
}

/**
 * Decides on waiting steps. A step is stopped when its code was used, replaced or expired, or when an earlier message
 * was delivered and the flow stops on that. A step gets its submission, in the same transaction, when its time has come
 * or the message before it failed. Either wipes the code from its row. Skips locked verifications: a code that is being
 * tried is decided on in a later pass.
 *
 * @param sealFor seals the secret of a step for its submission
 * @returns the submissions that were stored, to be enqueued, and the number of steps that were stopped
 */
export function takeSteps(
  db: EntityManager,
  steps: StepKey[],
  sealFor: (step: TakenStep) => Buffer,
): Promise<{ sent: NewSubmission[]; stopped: number }> {
  return db.transaction(async (transaction) => {
    const rows = await returning<DecidedStep>(transaction, DECIDE, KEYS.values(steps));
    const sent = rows
      .filter((row) => isTaken(row))
      .map((row) => codeSubmission(row.submissionId, row, row.message, sealFor(row)));
    if (sent.length > 0) await insertSubmissions(transaction, sent);
    return { sent, stopped: rows.length - sent.length };
  });
}

/** Ends a waiting step that cannot be taken, and wipes the code from its row. */
export async function skipStep(
  db: EntityManager,
  { verifyId, step }: StepKey,
  reason: string,
): Promise<void> {
  await db.query(
    `UPDATE verification_step
        SET status = 'SKIPPED', reason = $3, message = NULL, sealed = NULL
      WHERE verification_id = $1
        AND step = $2
        AND status = 'WAITING'`,
    [verifyId, step, reason],
  );
}

/** A step that gets its submission, with its secret sealed for the row of the step. */
export interface TakenStep extends CodeAddress, StepKey {
  submissionId: string;
  sealed: Buffer;
}

interface DecidedStep extends Omit<TakenStep, 'submissionId'> {
  submissionId: string | null;
  message: StepMessage;
}

function isTaken(row: DecidedStep): row is DecidedStep & TakenStep {
  return row.submissionId !== null;
}

const DECIDE = sql`
  WITH decided AS MATERIALIZED (
    SELECT vs.verification_id, vs.step, vs.message, vs.sealed, v.account_id, v.recipient, v.expires_at,
           CASE
             WHEN v.status <> 'SENT' THEN lower(v.status)
             WHEN v.expires_at <= now() THEN 'expired'
             WHEN vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ') THEN 'delivered'
           END AS reason
    ${decidable(KEYS.from)}
       FOR UPDATE OF vs, v SKIP LOCKED
  )
  UPDATE verification_step vs
     SET status = CASE WHEN d.reason IS NULL THEN 'SENT' ELSE 'STOPPED' END,
         reason = d.reason,
         due_at = CASE WHEN d.reason IS NULL THEN LEAST(vs.due_at, now()) ELSE vs.due_at END,
         submission_id = CASE WHEN d.reason IS NULL THEN uuidv7() END,
         message = NULL,
         sealed = NULL
    FROM decided d
   WHERE vs.verification_id = d.verification_id
     AND vs.step = d.step
     AND vs.status = 'WAITING'
  RETURNING vs.verification_id AS "verifyId", vs.step, vs.submission_id AS "submissionId", d.account_id AS "accountId",
            d.recipient, d.expires_at AS "expiresAt", d.message, d.sealed`;
