import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { otpMac } from '@signalbox/domain/verify/otp-code';
import type { EntityManager } from 'typeorm';
import type { Answer, ApiUnderTest } from './api-under-test.ts';

/** OTP_PEPPER of an API whose verifications a test inserts itself. */
export const PEPPER = randomBytes(32).toString('base64');

export interface StoredVerification {
  id: string;
  accountId: string;
  configId: string;
  recipient: string;
  code: string;
  maxAttempts: number;
  /** The pepper of the otp-worker that generated the code. */
  pepper: string;
}

/** Inserts a verification whose code was generated and sent. */
export async function storeVerification(
  db: EntityManager,
  given: Partial<StoredVerification> = {},
): Promise<StoredVerification> {
  const [account]: { id: string }[] = await db.query(`SELECT id FROM account WHERE name = 'Demo'`);
  const accountId = account?.id ?? '';
  const stored = {
    id: randomUUIDv7(),
    accountId,
    configId: randomUUIDv7(),
    recipient: '919800000100',
    code: '482913',
    maxAttempts: 5,
    pepper: PEPPER,
    ...given,
  };
  await db.query(
    `INSERT INTO verification_number (account_id, recipient) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT verification_number_pkey DO NOTHING`,
    [stored.accountId, stored.recipient],
  );
  await db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, sent_at, code_mac, max_attempts, expires_at)
     VALUES ($1, $2, $3, $1, $4, 'IN', false, 'SENT', now(), $5, $6, now() + interval '5 minutes')`,
    [
      stored.id,
      stored.accountId,
      stored.configId,
      stored.recipient,
      otpMac(stored.pepper, stored.accountId, stored.id, stored.code),
      stored.maxAttempts,
    ],
  );
  return stored;
}

/** Creates a configuration. @returns its id */
export async function createConfig(
  t: ApiUnderTest,
  given: object = {},
  apikey = t.p.apiKey,
): Promise<string> {
  const body = { name: `config ${randomUUIDv7()}`, sender: 'SIGNALBX', text: 'Code {{code}}', ...given };
  const created = await t.call<{ id: string }>({ path: '/v1/verify/configs', body, headers: { apikey } });
  if (created.status !== 201) throw new Error(created.text);
  return created.body.data.id;
}

/** Validates a code. */
export function tryCode(
  t: ApiUnderTest,
  verifyId: unknown,
  otp: unknown,
  apikey = t.p.apiKey,
): Promise<Answer<string>> {
  return t.call({ path: '/v1/verify/validate', body: { verifyId, otp }, headers: { apikey } });
}

/** Requests a code. */
export function askCode(
  t: ApiUnderTest,
  configId: string,
  to: string,
  headers: Record<string, string> = {},
): Promise<Answer<string>> {
  return t.call({ path: '/v1/verify', body: { configId, to }, headers });
}
