import type { EntityManager } from 'typeorm';

/** Whether messages that are no templates need a word of their recipient within the last day. */
export type SessionWindow = 'off' | 'enforce';

/** A number that a tenant sends from, as far as a send must know it. */
export interface SendingNumber {
  chatAccountId: number;
  sessionWindow: SessionWindow;
}

/** The numbers that tenants send from, in order; undefined for one that is not this tenant's. */
export async function findSendingNumbers(
  db: EntityManager,
  numbers: { accountId: string; msisdn: string }[],
): Promise<(SendingNumber | undefined)[]> {
  const rows: (SendingNumber & { accountId: string; msisdn: string })[] = await db.query(
    `SELECT s.account_id AS "accountId", s.msisdn, s.chat_account_id::float8 AS "chatAccountId", c.session_window AS "sessionWindow"
       FROM unnest($1::uuid[], $2::text[]) AS w(account_id, msisdn)
       JOIN chat_sender s ON s.msisdn = w.msisdn AND s.account_id = w.account_id
       JOIN chat_account c ON c.id = s.chat_account_id`,
    [numbers.map(({ accountId }) => accountId), numbers.map(({ msisdn }) => msisdn)],
  );
  const found = new Map(rows.map(({ accountId, msisdn, ...number }) => [`${accountId} ${msisdn}`, number]));
  return numbers.map(({ accountId, msisdn }) => found.get(`${accountId} ${msisdn}`));
}
