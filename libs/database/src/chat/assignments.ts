import { QUARANTINE_DAYS } from '@signalbox/domain/limits';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { ChatSender, type SenderAssignment } from './chat-account.entity.ts';

/*
 * A number belongs to one account: to the one that an operator assigned it to, or to the one that added it while it was
 * nobody's. It stays the account's after its sender is deleted, until its quarantine ends or an operator releases it. Every
 * statement locks the row of the sender before that of the assignment.
 */

/**
 * CTEs that assign a sender in `stored` to its account, if it is assigned to it already, or if $6 and no account owns
 * it: either `kept` or `claimed` then has a row.
 */
export const CLAIM_ASSIGNMENT = sql`
  kept AS (
    UPDATE sender_assignment sa
       SET quarantined_until = NULL
      FROM stored
     WHERE sa.msisdn = stored.msisdn
       AND sa.account_id = stored.account_id
       AND COALESCE(sa.quarantined_until > now(), true)
    RETURNING sa.msisdn
  ), claimed AS (
    -- it sees rows of other transactions that ended after this statement began
    INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by)
    SELECT msisdn, account_id, 'account'
      FROM stored
     WHERE $6::boolean
       AND NOT EXISTS (SELECT FROM kept)
    ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
       SET account_id = EXCLUDED.account_id, assigned_at = now(), quarantined_until = NULL
     WHERE sa.account_id = EXCLUDED.account_id
        OR sa.quarantined_until <= now()
    RETURNING msisdn
  )`;

/** Quarantines the numbers in `gone`, except those that an operator assigned: they stay their account's. */
export const QUARANTINE = sql`
  INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by, quarantined_until)
  SELECT msisdn, account_id, 'account', now() + interval '${QUARANTINE_DAYS} days'
    FROM gone
   ORDER BY msisdn
  ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
     SET quarantined_until = EXCLUDED.quarantined_until
   WHERE sa.account_id = EXCLUDED.account_id
     AND sa.assigned_by = 'account'`;

/** A number and the account that it belongs to. */
export interface AssignedSender {
  msisdn: string;
  accountId: string;
  account: string;
  assignedBy: SenderAssignment['assignedBy'];
  assignedAt: Date;
  quarantinedUntil: Date | null;
  /** True while it is a sender of a chat account. */
  inUse: boolean;
}

/** Assigns a number to an account; false when it belongs to another one, which keeps it. */
export async function assignSender(db: EntityManager, accountId: string, msisdn: string): Promise<boolean> {
  const assigned: unknown[] = await db.query(
    `INSERT INTO sender_assignment AS sa (msisdn, account_id, assigned_by)
     SELECT $2, $1::uuid, 'operator'
      WHERE NOT EXISTS (
        SELECT
          FROM chat_sender cs
         WHERE cs.msisdn = $2
           AND cs.account_id <> $1
      )
     ON CONFLICT ON CONSTRAINT sender_assignment_pkey DO UPDATE
        SET account_id = EXCLUDED.account_id, assigned_by = 'operator', assigned_at = now(), quarantined_until = NULL
      WHERE sa.account_id = EXCLUDED.account_id
         OR sa.quarantined_until <= now()
     RETURNING msisdn`,
    [accountId, msisdn],
  );
  return assigned.length > 0;
}

/**
 * Releases a number: ends its assignment or its quarantine. To be called in a transaction, which can only be rolled
 * back when the number is `in_use`.
 *
 * @param removesSender true to delete its sender too
 * @returns 'absent' when no account owns it
 */
export async function releaseSender(
  db: EntityManager,
  msisdn: string,
  removesSender: boolean,
): Promise<'released' | 'in_use' | 'absent'> {
  const senders = removesSender
    ? await countChanged(db, `DELETE FROM chat_sender WHERE msisdn = $1`, [msisdn])
    : 0;
  const assignments = await countChanged(db, `DELETE FROM sender_assignment WHERE msisdn = $1`, [msisdn]);
  if (await db.existsBy(ChatSender, { msisdn })) return 'in_use';
  return senders + assignments > 0 ? 'released' : 'absent';
}

/** Lists numbers with their accounts: all, or those of one account or of one number; by number, beyond `after`. */
export function listAssignments(
  db: EntityManager,
  { accountId = null, msisdn = null }: { accountId?: string | null; msisdn?: string | null },
  limit: number | null = null,
  after: string | null = null,
): Promise<AssignedSender[]> {
  return db.query(
    `SELECT sa.msisdn, sa.account_id AS "accountId", a.name AS account, sa.assigned_by AS "assignedBy",
            sa.assigned_at AS "assignedAt", sa.quarantined_until AS "quarantinedUntil",
            EXISTS (SELECT FROM chat_sender cs WHERE cs.msisdn = sa.msisdn) AS "inUse"
       FROM sender_assignment sa
       JOIN account a ON a.id = sa.account_id
      WHERE ($1::uuid IS NULL OR sa.account_id = $1)
        AND ($2::text IS NULL OR sa.msisdn = $2)
        AND ($4::text IS NULL OR sa.msisdn > $4)
      ORDER BY sa.msisdn
      LIMIT $3`,
    [accountId, msisdn, limit, after],
  );
}
