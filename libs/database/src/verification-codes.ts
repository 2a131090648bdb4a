import type { EntityManager } from 'typeorm';
import type { TestNumber } from './entities/verification-config.ts';
import { type NewSubmission, insertSubmissions } from './submissions.ts';

/** A verification that waits for its code, with what its configuration says of it. */
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
  sender: string;
  text: string;
  webOtpDomain: string | null;
  androidHash: string | null;
  testNumbers: TestNumber[];
}

/** Those of these verifications that wait for their code and are not over. */
export function listWaiting(db: EntityManager, ids: string[]): Promise<WaitingVerification[]> {
  return db.query(
    `SELECT v.id, v.account_id AS "accountId", v.config_id AS "configId", v.recipient, v.country, v.is_test AS "isTest",
            v.expires_at AS "expiresAt", c.code_length AS "codeLength", c.alphabet, c.ttl_seconds AS "ttlSeconds", c.sender, c.text,
            c.web_otp_domain AS "webOtpDomain", c.android_hash AS "androidHash", c.test_numbers AS "testNumbers"
       FROM verification v JOIN verification_config c ON c.id = v.config_id
      WHERE v.id = ANY($1::uuid[]) AND v.status = 'WAITING' AND v.expires_at > now()`,
    [ids],
  );
}

/** A code that was made: what is kept of it, and the SMS that carries it; a test number gets none. */
export interface MadeCode {
  verifyId: string;
  mac: Buffer;
  submission: NewSubmission | null;
}

/**
 * Gives verifications their codes and hands the SMS to the SMS path, in one transaction. A verification gets one code only, however often
 * it is tried: the SMS of a code that came second is not stored.
 *
 * @returns the verifications that got the code given here
 */
export function handOver(db: EntityManager, codes: MadeCode[]): Promise<Set<string>> {
  return db.transaction(async (transaction) => {
    const taken = new Set(await takeCodes(transaction, codes));
    const submissions = codes.flatMap(({ verifyId, submission }) => (submission && taken.has(verifyId) ? [submission] : []));
    if (submissions.length > 0) await insertSubmissions(transaction, submissions);
    return taken;
  });
}

/** Counts the codes as sent, in the order of the counters, so that two batches never wait for one another. */
async function takeCodes(db: EntityManager, codes: MadeCode[]): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `WITH made AS (SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::uuid[]) AS m(id, mac, submission_id)),
     held AS MATERIALIZED (
       SELECT v.id, made.mac, made.submission_id FROM made JOIN verification v ON v.id = made.id
        WHERE v.status = 'WAITING' AND v.expires_at > now() ORDER BY v.account_id, v.recipient, v.id FOR UPDATE OF v
     ), taken AS (
       UPDATE verification v SET status = 'SENT', sent_at = now(), code_mac = held.mac, submission_id = held.submission_id
         FROM held WHERE v.id = held.id AND v.status = 'WAITING'
       RETURNING v.id, v.account_id, v.created_at, v.config_id, v.country, v.is_test
     ), counted AS (
       INSERT INTO verification_stat AS s (account_id, day, config_id, country, sent, verified)
       SELECT account_id, (created_at AT TIME ZONE 'UTC')::date AS day, config_id, country, count(*), 0 FROM taken WHERE NOT is_test
        GROUP BY account_id, day, config_id, country ORDER BY account_id, day, config_id, country
       ON CONFLICT ON CONSTRAINT verification_stat_pkey DO UPDATE SET sent = s.sent + EXCLUDED.sent
     )
     SELECT id FROM taken`,
    [codes.map((code) => code.verifyId), codes.map((code) => code.mac), codes.map((code) => code.submission?.id ?? null)],
  );
  return rows.map(({ id }) => id);
}
