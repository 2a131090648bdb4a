import { IDEMPOTENCY_HOURS } from '@signalbox/domain/limits';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { OtpChannel } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import type { IdempotentCall } from '../submissions/submissions.ts';

/** A number of an account. */
export interface AccountNumber {
  accountId: string;
  recipient: string;
}

/** One code that was sent to a number, as its row remembers it for a day. */
export interface PastSend {
  /** Epoch milliseconds, by the database's clock. */
  at: number;
  configId: string;
  verifyId: string;
}

/** What happened to a number of late. */
export interface NumberState extends AccountNumber {
  /** Oldest first. */
  sends: PastSend[];
  /** When wrong codes were tried, in epoch milliseconds, oldest first. */
  wrongAt: number[];
  now: number;
}

/**
 * Reads what happened to numbers, and holds their rows until the end of the transaction: whatever else concerns one of these numbers
 * waits. A number that is new gets its row.
 */
export async function lockNumbers(db: EntityManager, numbers: AccountNumber[]): Promise<NumberState[]> {
  const rows: (Omit<NumberState, 'wrongAt'> & { wrongAt: Date[] })[] = await db.query(
    `INSERT INTO verification_number AS held (account_id, recipient)
     SELECT DISTINCT account_id, recipient FROM unnest($1::uuid[], $2::text[]) AS n(account_id, recipient) ORDER BY account_id, recipient
     ON CONFLICT ON CONSTRAINT verification_number_pkey DO UPDATE SET touched_at = clock_timestamp()
     RETURNING account_id AS "accountId", recipient, sends, wrong_at AS "wrongAt",
               (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
    [numbers.map((number) => number.accountId), numbers.map((number) => number.recipient)],
  );
  return rows.map((row) => ({ ...row, wrongAt: row.wrongAt.map((at) => at.getTime()) }));
}

/** Writes what was sent to held numbers; the row of a number to which nothing ever was goes away again. */
export async function saveSends(db: EntityManager, numbers: NumberState[]): Promise<void> {
  await db.query(
    `WITH held AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS h(account_id, recipient, sends)),
     gone AS (
       DELETE FROM verification_number n USING held
        WHERE n.account_id = held.account_id AND n.recipient = held.recipient AND held.sends = '[]' AND n.wrong_at = '{}')
     UPDATE verification_number n SET sends = held.sends FROM held
      WHERE n.account_id = held.account_id AND n.recipient = held.recipient AND held.sends <> '[]'`,
    [
      numbers.map((number) => number.accountId),
      numbers.map((number) => number.recipient),
      numbers.map((number) => JSON.stringify(number.sends)),
    ],
  );
}

/** One accepted call for a code. */
export interface NewVerification extends AccountNumber {
  id: string;
  configId: string;
  keyId: string;
  country: string;
  /** For a test number: it gets its fixed code, and no SMS. */
  isTest: boolean;
  maxAttempts: number;
  ttlSeconds: number;
  /** Why the fraud guard thinks ill of it, if so. */
  guardReason: string | null;
  idempotency: IdempotentCall | null;
  /** The verification that it takes the place of, if that is still open. */
  replaces: string | null;
}

/**
 * Stores accepted calls with their idempotency keys, and ends the verifications they replace. The same key must not come twice in a batch.
 *
 * @returns the ids that were stored; one whose key was taken in this moment was not
 */
export async function insertVerifications(
  db: EntityManager,
  verifications: NewVerification[],
): Promise<Set<string>> {
  await endReplaced(db, verifications);
  const stored: { id: string }[] = await db.query(
    `WITH call AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::boolean[], $8::smallint[],
                            $9::integer[], $10::text[], $11::text[], $12::text[], $13::bytea[])
         AS c(id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, ttl_seconds, guard_reason, path, key, body_hash)
     ), keyed AS (
       INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, submission_id)
       SELECT account_id, path, key, body_hash, id FROM call WHERE key IS NOT NULL
       ON CONFLICT ON CONSTRAINT idempotency_key_pkey
       DO UPDATE SET body_hash = EXCLUDED.body_hash, submission_id = EXCLUDED.submission_id, created_at = now()
               WHERE k.created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'
       RETURNING submission_id
     )
     INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason, created_at, expires_at)
     SELECT id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason, clock_timestamp(),
            clock_timestamp() + make_interval(secs => ttl_seconds)
       FROM call WHERE key IS NULL OR id IN (SELECT submission_id FROM keyed)
     RETURNING id`,
    columnsOf(verifications),
  );
  return new Set(stored.map(({ id }) => id));
}

/** In the order in which tries hold verifications, so that the two never wait for one another. */
async function endReplaced(db: EntityManager, verifications: NewVerification[]): Promise<void> {
  const ids = verifications.flatMap(({ replaces }) => replaces ?? []);
  if (ids.length === 0) return;
  await db.query(
    `UPDATE verification SET status = 'REPLACED', code_mac = NULL
      WHERE id IN (SELECT id FROM verification WHERE id = ANY($1::uuid[]) AND status IN ('WAITING', 'SENT')
                    ORDER BY account_id, recipient, id FOR UPDATE)`,
    [ids],
  );
}

function columnsOf(verifications: NewVerification[]): unknown[] {
  return [
    verifications.map((v) => v.id),
    verifications.map((v) => v.accountId),
    verifications.map((v) => v.configId),
    verifications.map((v) => v.keyId),
    verifications.map((v) => v.recipient),
    verifications.map((v) => v.country),
    verifications.map((v) => v.isTest),
    verifications.map((v) => v.maxAttempts),
    verifications.map((v) => v.ttlSeconds),
    verifications.map((v) => v.guardReason),
    verifications.map((v) => v.idempotency?.path ?? null),
    verifications.map((v) => v.idempotency?.key ?? null),
    verifications.map((v) => v.idempotency?.bodyHash ?? null),
  ];
}

/** The verification that first used an idempotency key. */
export interface FirstVerification {
  accountId: string;
  key: string;
  bodyHash: Buffer;
  verifyId: string;
}

/** The first uses of these keys on a path, as far as there are any that still count. */
export function listFirstVerifications(
  db: EntityManager,
  path: string,
  keys: { accountId: string; key: string }[],
): Promise<FirstVerification[]> {
  return db.query(
    `SELECT k.account_id AS "accountId", k.key, k.body_hash AS "bodyHash", k.submission_id AS "verifyId"
       FROM unnest($2::uuid[], $3::text[]) AS call(account_id, key)
       JOIN idempotency_key k ON k.account_id = call.account_id AND k.path = $1 AND k.key = call.key
      WHERE k.created_at >= now() - interval '${IDEMPOTENCY_HOURS} hours'`,
    [path, keys.map((each) => each.accountId), keys.map((each) => each.key)],
  );
}

/** A verification as `GET /v1/verify/{verifyId}` shows it. */
export interface VerificationRecord {
  id: string;
  configId: string;
  recipient: string;
  country: string;
  isTest: boolean;
  status: 'WAITING' | 'SENT' | 'VERIFIED' | 'EXPIRED' | 'REPLACED';
  attempts: number;
  maxAttempts: number;
  guardReason: string | null;
  createdAt: Date;
  expiresAt: Date;
  sentAt: Date | null;
  verifiedAt: Date | null;
  /** Empty until the code is made. */
  steps: StepRecord[];
}

/** One step of the flow of a verification; of one that sends an SMS only, that SMS. */
export interface StepRecord {
  channel: OtpChannel;
  status: 'WAITING' | 'SENT' | 'STOPPED' | 'SKIPPED';
  /** Why it was stopped or skipped. */
  reason: string | null;
  /** When it is taken, or was to be; ISO 8601. */
  dueAt: string;
  submissionId: string | null;
  messageStatus: MessageStatus;
  messageErrCode: string | null;
}

/** One verification of an account with its messages; undefined when there is none, whoever else may have it. */
export async function findVerification(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationRecord | undefined> {
  const [row]: VerificationRecord[] = await db.query(
    `SELECT v.id, v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
            CASE WHEN v.status IN ('WAITING', 'SENT') AND v.expires_at <= now() THEN 'EXPIRED' ELSE v.status END AS status,
            v.attempts, v.max_attempts AS "maxAttempts", v.guard_reason AS "guardReason", v.created_at AS "createdAt",
            v.expires_at AS "expiresAt", v.sent_at AS "sentAt", v.verified_at AS "verifiedAt", COALESCE(f.steps, '[]') AS steps
       FROM verification v
       LEFT JOIN LATERAL (
         SELECT json_agg(json_build_object('channel', s.channel, 'status', s.status, 'reason', s.reason, 'dueAt', s.due_at,
                           'submissionId', s.submission_id, 'messageStatus', COALESCE(m.status, 'PENDING'), 'messageErrCode', m.err_code)
                         ORDER BY s.step) AS steps
           FROM (SELECT step, channel, status, reason, due_at, submission_id FROM verification_step WHERE verification_id = v.id
                 UNION ALL
                 SELECT 1, 'sms', 'SENT', NULL, v.sent_at, v.submission_id
                  WHERE v.submission_id IS NOT NULL AND NOT EXISTS (SELECT FROM verification_step WHERE verification_id = v.id)) AS s
           LEFT JOIN message m ON m.submission_id = s.submission_id AND m.n = 1) AS f ON true
      WHERE v.id = $2 AND v.account_id = $1`,
    [accountId, id],
  );
  return row;
}
