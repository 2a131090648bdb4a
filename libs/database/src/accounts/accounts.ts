import type { EntityManager } from 'typeorm';

/** Lists the accounts with a limited rate of SMS, with their SMS per second. */
export async function listPacedAccounts(db: EntityManager): Promise<Map<string, number>> {
  const rows: { id: string; perSecond: number }[] = await db.query(
    `SELECT id, sms_per_second AS "perSecond"
       FROM account
      WHERE sms_per_second IS NOT NULL`,
  );
  return new Map(rows.map(({ id, perSecond }) => [id, perSecond]));
}
