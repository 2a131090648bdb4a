import { sql } from '../core/sql.ts';

/**
 * Returns a SELECT of all identities of a chat-app recipient, in the column `recipient`: the given one, its number, and
 * every user id known for that number.
 *
 * @param accountId expression of the account
 * @param recipient expression of a number or a user id
 */
export function identitiesOf(accountId: string, recipient: string): string {
  return sql`
  SELECT ${recipient} AS recipient
   UNION
  SELECT unnest(ARRAY[same.msisdn, same.user_id])
    FROM chat_user known
    JOIN chat_user same ON same.account_id = known.account_id AND same.msisdn = known.msisdn
   WHERE known.account_id = ${accountId}
     AND (known.user_id = ${recipient} OR known.msisdn = ${recipient})`;
}
