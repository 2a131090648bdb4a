import type { EntityManager } from 'typeorm';

/** The accounts whose SMS are limited, with how many they may send per second. */
export async function listPacedAccounts(db: EntityManager): Promise<Map<string, number>> {
  const rows: { id: string; perSecond: number }[] = await db.query(
    `SELECT id, sms_per_second AS "perSecond" FROM account WHERE sms_per_second IS NOT NULL`,
  );
  return new Map(rows.map(({ id, perSecond }) => [id, perSecond]));
}
