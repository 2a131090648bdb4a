import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import type { SessionWindow } from './chat-account.entity.ts';

export type { SessionWindow };

/** The facts about a number of a tenant that a send depends on. */
export interface SendingNumber {
  chatAccountId: number;
  sessionWindow: SessionWindow;
}

const NUMBERS = rowset('wanted', { account_id: 'uuid', msisdn: 'text' });

const FIND = sql`
  SELECT cs.account_id AS "accountId", cs.msisdn, cs.chat_account_id::float8 AS "chatAccountId",
         ca.session_window AS "sessionWindow"
    FROM ${NUMBERS.from}
    JOIN chat_sender cs ON cs.msisdn = wanted.msisdn AND cs.account_id = wanted.account_id
    JOIN chat_account ca ON ca.id = cs.chat_account_id`;

/**
 * Finds senders of accounts by their numbers. Returns one per pair, in order; undefined when the number is not the
 * account's.
 */
export async function findSendingNumbers(
  db: EntityManager,
  numbers: { accountId: string; msisdn: string }[],
): Promise<(SendingNumber | undefined)[]> {
  const rows: (SendingNumber & { accountId: string; msisdn: string })[] = await db.query(
    FIND,
    NUMBERS.values(numbers),
  );
  const found = new Map(rows.map(({ accountId, msisdn, ...number }) => [`${accountId} ${msisdn}`, number]));
  return numbers.map(({ accountId, msisdn }) => found.get(`${accountId} ${msisdn}`));
}
