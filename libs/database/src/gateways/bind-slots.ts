import type { EntityManager } from 'typeorm';
import { countChanged, returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/** Seconds for which a bind slot is leased; a worker that lives renews it earlier. */
export const SLOT_LEASE_SECONDS = 10;

/** A slot that was leased, under the id that its holder made for it. */
export interface LeasedSlot {
  slot: number;
  /** Slots of the gateway that are leased, this one included. */
  inUse: number;
}

/** A lease that was renewed. */
export interface RenewedSlot extends LeasedSlot {
  holder: string;
}

const LEASE = sql`now() + interval '${SLOT_LEASE_SECONDS} seconds'`;

const ACQUIRE = sql`
  WITH free AS (
    SELECT n
      FROM generate_series(0, $2 - 1) AS n
      LEFT JOIN bind_slot AS b ON b.gateway = $1 AND b.slot = n AND b.leased_until > now()
     WHERE b.slot IS NULL
     ORDER BY n
     LIMIT 1
  )
  INSERT INTO bind_slot AS b (gateway, slot, holder, leased_until)
  SELECT $1, n, $3, ${LEASE}
    FROM free
  ON CONFLICT ON CONSTRAINT bind_slot_pkey DO UPDATE
     SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until
   WHERE b.leased_until <= now()
  RETURNING slot, 1 + (
    SELECT count(*)::int
      FROM bind_slot AS o
     WHERE o.gateway = $1 AND o.slot <> b.slot AND o.leased_until > now()
  ) AS "inUse"`;

/**
 * Leases the lowest free slot of a gateway: one without a lease, or whose lease has ended.
 *
 * @param slots slots that the gateway has
 * @param holder a new id for each lease
 * @returns undefined when all are leased, or another worker was faster
 */
export async function acquireSlot(
  db: EntityManager,
  gateway: string,
  slots: number,
  holder: string,
): Promise<LeasedSlot | undefined> {
  const [row]: LeasedSlot[] = await db.query(ACQUIRE, [gateway, slots, holder]);
  return row;
}

const RENEW = sql`
  UPDATE bind_slot AS b
     SET leased_until = ${LEASE}
   WHERE holder = ANY($1::uuid[])
  RETURNING holder, slot, 1 + (
    SELECT count(*)::int
      FROM bind_slot AS o
     WHERE o.gateway = b.gateway AND o.slot <> b.slot AND o.leased_until > now()
  ) AS "inUse"`;

/** Renews leases. @returns the slots that no other worker has leased; a lease that ended meanwhile is renewed too */
export function renewSlots(db: EntityManager, holders: string[]): Promise<RenewedSlot[]> {
  return returning(db, RENEW, [holders]);
}

/** Ends a lease; false when another worker has leased the slot since. */
export async function releaseSlot(db: EntityManager, holder: string): Promise<boolean> {
  return (await countChanged(db, `DELETE FROM bind_slot WHERE holder = $1`, [holder])) === 1;
}
