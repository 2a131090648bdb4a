import type { EntityManager } from 'typeorm';

/** Finds the time at which a recipient last wrote to a sender. */
export async function findLastInbound(
  db: EntityManager,
  accountId: string,
  sender: string,
  recipient: string,
): Promise<Date | undefined> {
  const [row]: { at: Date | null }[] = await db.query(
    `SELECT last_inbound_at AS at
       FROM chat_pair
      WHERE account_id = $1
        AND sender = $2
        AND recipient = $3`,
    [accountId, sender, recipient],
  );
  return row?.at ?? undefined;
}
