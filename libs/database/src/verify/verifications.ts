import { IDEMPOTENCY_HOURS } from '@signalbox/domain/limits';
import type { MessageStatus } from '@signalbox/domain/message-status';
import { MAX_WRONG_CODES_PER_DAY } from '@signalbox/domain/verify/limits';
import type { OtpChannel } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { SHOWN_STATUS } from '../messages/messages.ts';
import { type IdempotentCall, KEY_COLUMNS, storeKeys } from '../submissions/idempotency-keys.ts';
import { listOf, upsertKeys } from './quotas.ts';

/** A number of an account. */
export interface AccountNumber {
  accountId: string;
  recipient: string;
}

/** One code that was sent to a number; its row keeps it for a day. */
export interface PastSend {
  /** Epoch milliseconds, by the database's clock. */
  at: number;
  configId: string;
  verifyId: string;
  /** Present on the code of a test number, which no limit counts. */
  isTest?: true;
}

/** The recent codes and wrong attempts of a number. */
export interface NumberState extends AccountNumber {
  /** Oldest first. */
  sends: PastSend[];
  /** When wrong codes were tried, in epoch milliseconds, oldest first. */
  wrongAt: number[];
  now: number;
}

const NUMBERS = rowset('wanted', { account_id: 'uuid', recipient: 'text' });

const LOCK_NUMBERS = sql`
  ${upsertKeys('verification_number', NUMBERS)}
     SET touched_at = clock_timestamp()
  RETURNING account_id AS "accountId", recipient, sends,
            array_remove(wrong_at, NULL) AS "wrongAt", (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/**
 * Reads the state of numbers and locks their rows until the end of the transaction: every other statement about one of
 * these numbers waits. A new number gets its row.
 */
export async function lockNumbers(db: EntityManager, numbers: AccountNumber[]): Promise<NumberState[]> {
  const rows: (Omit<NumberState, 'wrongAt'> & { wrongAt: Date[] })[] = await db.query(
    LOCK_NUMBERS,
    NUMBERS.values(numbers),
  );
  return rows.map((row) => ({
    ...row,
    sends: listOf(row.sends),
    wrongAt: row.wrongAt.map((at) => at.getTime()),
  }));
}

const SENDS = rowset('given', { account_id: 'uuid', recipient: 'text', sends: 'jsonb' });

const SAVE_SENDS = sql`
  WITH number AS (
    SELECT *
      FROM ${SENDS.from}
  ), deleted AS (
    DELETE FROM verification_number vn
     USING number
     WHERE vn.account_id = number.account_id
       AND vn.recipient = number.recipient
       AND number.sends = '[]'
       AND vn.wrong_at = '{}'
  )
  UPDATE verification_number vn
     SET sends = number.sends
    FROM number
   WHERE vn.account_id = number.account_id
     AND vn.recipient = number.recipient
     AND number.sends <> '[]'`;

/** Saves the codes sent to locked numbers that got one, and deletes the row of a number that was never sent one. */
export async function saveSends(db: EntityManager, numbers: NumberState[]): Promise<void> {
  await db.query(SAVE_SENDS, SENDS.values(numbers));
}

/** One accepted call for a code. */
export interface NewVerification extends AccountNumber {
  id: string;
  configId: string;
  keyId: string;
  country: string;
  /** True for a test number, which gets its fixed code and no message. */
  isTest: boolean;
  maxAttempts: number;
  ttlSeconds: number;
  /** The reason why the fraud guard suspects it; null when it does not. */
  guardReason: string | null;
  idempotency: IdempotentCall | null;
  /** The verification that it replaces, if that is still open; null for none. */
  replaces: string | null;
}

const CALLS = rowset('call', {
  id: 'uuid',
  account_id: 'uuid',
  config_id: 'uuid',
  key_id: 'uuid',
  recipient: 'text',
  country: 'text',
  is_test: 'boolean',
  max_attempts: 'smallint',
  ttl_seconds: 'integer',
  guard_reason: 'text',
  ...KEY_COLUMNS,
});

const INSERT = sql`
  WITH call AS (
    SELECT *
      FROM ${CALLS.from}
  ), ${storeKeys()}
  INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason,
                            created_at, expires_at)
  SELECT id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason,
         clock_timestamp(), clock_timestamp() + make_interval(secs => ttl_seconds)
    FROM call
   WHERE key IS NULL
      OR id IN (SELECT resource_id FROM keyed)
  RETURNING id`;

/**
 * Stores accepted calls with their idempotency keys, and ends the verifications they replace. A key must not come twice
 * in a batch.
 *
 * @returns the ids that were stored; not those whose key was used meanwhile
 */
export async function insertVerifications(
  db: EntityManager,
  verifications: NewVerification[],
): Promise<Set<string>> {
  const stored: { id: string }[] = await db.query(INSERT, CALLS.values(verifications));
  // afterwards: one of this batch may replace another
  await endReplaced(db, verifications);
  return new Set(stored.map(({ id }) => id));
}

/** Locks in the order in which attempts lock verifications, so that the two never deadlock. */
async function endReplaced(db: EntityManager, verifications: NewVerification[]): Promise<void> {
  const ids = verifications.flatMap(({ replaces }) => replaces ?? []);
  if (ids.length === 0) return;
  await db.query(
    `UPDATE verification
        SET status = 'REPLACED', code_mac = NULL
      WHERE id IN (
        SELECT id
          FROM verification
         WHERE id = ANY($1::uuid[])
           AND status IN ('WAITING', 'SENT')
         ORDER BY account_id, recipient, id
           FOR UPDATE
      )`,
    [ids],
  );
}

/** The verification that first used an idempotency key. */
export interface FirstVerification {
  accountId: string;
  key: string;
  bodyHash: Buffer;
  verifyId: string;
}

const KEYS = rowset('call', { account_id: 'uuid', key: 'text' }, 2);

const LIST_FIRST = sql`
  SELECT k.account_id AS "accountId", k.key, k.body_hash AS "bodyHash", k.resource_id AS "verifyId"
    FROM ${KEYS.from}
    JOIN idempotency_key k ON k.account_id = call.account_id AND k.path = $1 AND k.key = call.key
   WHERE k.created_at >= now() - interval '${IDEMPOTENCY_HOURS} hours'`;

/** Lists the first uses of these keys on a path, as far as the keys were used and have not expired. */
export function listFirstVerifications(
  db: EntityManager,
  path: string,
  keys: { accountId: string; key: string }[],
): Promise<FirstVerification[]> {
  return db.query(LIST_FIRST, [path, ...KEYS.values(keys)]);
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
  /** The attempts that an open verification has left: its own, and at most those of its number for the day. */
  attemptsRemaining: number;
  guardReason: string | null;
  createdAt: Date;
  expiresAt: Date;
  sentAt: Date | null;
  verifiedAt: Date | null;
  /** Empty until there is a code. */
  steps: StepRecord[];
}

/** One step of the flow of a verification; for a flow of one SMS, that SMS. */
export interface StepRecord {
  channel: OtpChannel;
  status: 'WAITING' | 'SENT' | 'STOPPED' | 'SKIPPED';
  /** The reason why it was stopped or skipped; null for other steps. */
  reason: string | null;
  /** Time of the step, past or planned; ISO 8601. */
  dueAt: string;
  submissionId: string | null;
  messageStatus: MessageStatus;
  /** True for a pending message whose submit went without an answer, so that it may arrive. */
  messageUnconfirmed: boolean;
  messageErrCode: string | null;
}

const FIND = sql`
  SELECT v.id, v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
         CASE
           WHEN v.status IN ('WAITING', 'SENT') AND v.expires_at <= now() THEN 'EXPIRED'
           ELSE v.status
         END AS status,
         v.attempts,
         GREATEST(0, LEAST(
           v.max_attempts - v.attempts,
           CASE WHEN NOT v.is_test THEN ${MAX_WRONG_CODES_PER_DAY} - (
             SELECT count(*)
               FROM verification_number vn, unnest(vn.wrong_at) AS w
              WHERE vn.account_id = v.account_id
                AND vn.recipient = v.recipient
                AND w > now() - interval '1 day'
           ) END
         ))::integer AS "attemptsRemaining",
         v.guard_reason AS "guardReason", v.created_at AS "createdAt", v.expires_at AS "expiresAt",
         v.sent_at AS "sentAt", v.verified_at AS "verifiedAt", COALESCE(flow.steps, '[]') AS steps
    FROM verification v
    LEFT JOIN LATERAL (
      SELECT json_agg(
               json_build_object(
                 'channel', vs.channel,
                 'status', vs.status,
                 'reason', vs.reason,
                 'dueAt', vs.due_at,
                 'submissionId', vs.submission_id,
                 'messageStatus', ${SHOWN_STATUS},
                 'messageUnconfirmed', m.unconfirmed_at IS NOT NULL,
                 'messageErrCode', m.err_code
               )
               ORDER BY vs.step
             ) AS steps
        FROM (
          SELECT step, channel, status, reason, due_at, submission_id
            FROM verification_step
           WHERE verification_id = v.id
           UNION ALL
          SELECT 1, 'sms', 'SENT', NULL, v.sent_at, v.submission_id
           WHERE v.submission_id IS NOT NULL
             AND NOT EXISTS (SELECT FROM verification_step WHERE verification_id = v.id)
        ) AS vs
        LEFT JOIN message m ON m.submission_id = vs.submission_id AND m.n = 1
    ) AS flow ON true
   WHERE v.id = $2
     AND v.account_id = $1`;

/** Finds one verification of an account with its messages. */
export async function findVerification(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationRecord | undefined> {
  const [row]: VerificationRecord[] = await db.query(FIND, [accountId, id]);
  return row;
}
