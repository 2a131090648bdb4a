import type { FlowStep, StopOn } from '@signalbox/domain/verify/otp-flow';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { OtpTemplate, TestNumber } from './verification-config.entity.ts';
import { type NewSubmission, insertSubmissions } from '../submissions/submissions.ts';
import { addToStats } from './stats.ts';
import { type NewStep, insertSteps } from './steps.ts';

/** A verification that waits for its code, with its configuration. */
export interface WaitingVerification {
  id: string;
  accountId: string;
  configId: string;
  recipient: string;
  country: string;
  isTest: boolean;
  expiresAt: Date;
  codeLength: number;
  alphabet: 'numeric' | 'alphanumeric';
  ttlSeconds: number;
  flow: FlowStep[];
  stopOn: StopOn;
  template: OtpTemplate | null;
  sender: string | null;
  text: string;
  webOtpDomain: string | null;
  androidHash: string | null;
  testNumbers: TestNumber[];
}

/** Lists the verifications among these that wait for their code and have not expired. */
export function listWaiting(db: EntityManager, ids: string[]): Promise<WaitingVerification[]> {
  return db.query(
    `SELECT v.id, v.account_id AS "accountId", v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
            v.expires_at AS "expiresAt", vc.code_length AS "codeLength", vc.alphabet, vc.ttl_seconds AS "ttlSeconds",
            vc.flow, vc.stop_on AS "stopOn", vc.template, vc.sender, vc.text, vc.web_otp_domain AS "webOtpDomain",
            vc.android_hash AS "androidHash", vc.test_numbers AS "testNumbers"
       FROM verification v
       JOIN verification_config vc ON vc.id = v.config_id
      WHERE v.id = ANY($1::uuid[])
        AND v.status = 'WAITING'
        AND v.expires_at > now()`,
    [ids],
  );
}

/** A new code, with the facts that are stored about it. */
export interface MadeCode {
  verifyId: string;
  accountId: string;
  /** Null when there is no way to send the code: its verification ends. */
  mac: Buffer | null;
  /** The message to send now; null for a test number, and when there is no way. */
  submission: NewSubmission | null;
  /** The steps of its flow; none when that message is all there is. */
  steps: NewStep[];
}

/**
 * Gives verifications their codes and stores the first message of each, in one transaction. A verification gets one
 * code only, however often its job runs: the message of a second code is not stored.
 *
 * @returns the verifications that got the code given here
 */
export function storeCodes(db: EntityManager, codes: MadeCode[]): Promise<Set<string>> {
  return db.transaction(async (transaction) => {
    const ids = new Set(await updateVerifications(transaction, codes));
    const taken = codes.filter(({ verifyId }) => ids.has(verifyId));
    const submissions = taken.flatMap(({ submission }) => submission ?? []);
    if (submissions.length > 0) await insertSubmissions(transaction, submissions);
    await insertSteps(
      transaction,
      taken.flatMap(({ verifyId, accountId, steps }) =>
        steps.map((step) => ({ ...step, verifyId, accountId })),
      ),
    );
    return ids;
  });
}

const CODES = rowset('made', {
  id: ['uuid', (code: MadeCode) => code.verifyId],
  mac: 'bytea',
  submission_id: ['uuid', (code: MadeCode) => code.submission?.id],
});

const TAKE = sql`
  WITH made AS (
    SELECT *
      FROM ${CODES.from}
  ), locked AS MATERIALIZED (
    SELECT v.id, made.mac, made.submission_id
      FROM made
      JOIN verification v ON v.id = made.id
     WHERE v.status = 'WAITING'
       AND v.expires_at > now()
     ORDER BY v.account_id, v.recipient, v.id
       FOR UPDATE OF v
  ), taken AS (
    UPDATE verification v
       SET status = CASE WHEN locked.mac IS NULL THEN 'EXPIRED' ELSE 'SENT' END,
           sent_at = CASE WHEN locked.mac IS NOT NULL THEN now() END,
           code_mac = locked.mac,
           submission_id = locked.submission_id
      FROM locked
     WHERE v.id = locked.id
       AND v.status = 'WAITING'
    RETURNING v.id, v.account_id, v.config_id, v.country, (v.created_at AT TIME ZONE 'UTC')::date AS day,
              v.sent_at IS NOT NULL AND NOT v.is_test AS counts
  ), counted AS (
    ${addToStats('sent', 'taken', 'counts')}
  )
  SELECT id FROM taken`;

async function updateVerifications(db: EntityManager, codes: MadeCode[]): Promise<string[]> {
  const rows: { id: string }[] = await db.query(TAKE, CODES.values(codes));
  return rows.map(({ id }) => id);
}
