import type { EntityManager } from 'typeorm';
import { LessThan } from 'typeorm';
import { Webhook } from './entities/webhook.ts';

/** Stores a configuration; false when the account has one of that name already. */
export async function insertWebhook(db: EntityManager, webhook: Webhook): Promise<boolean> {
  const inserted: unknown[] = await db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, end_point, headers, fields, max_in_flight, sealed_secret, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT ON CONSTRAINT webhook_name DO NOTHING RETURNING id`,
    [
      webhook.id,
      webhook.accountId,
      webhook.name,
      webhook.channel,
      webhook.provider,
      webhook.method,
      webhook.endPoint,
      JSON.stringify(webhook.headers),
      webhook.fields,
      webhook.maxInFlight,
      webhook.sealedSecret,
      webhook.createdAt,
    ],
  );
  return inserted.length > 0;
}

/** One configuration of an account; undefined when there is none, whoever else may have it. */
export async function findWebhook(db: EntityManager, accountId: string, id: string): Promise<Webhook | undefined> {
  return (await db.findOneBy(Webhook, { id, accountId })) ?? undefined;
}

/** A page of an account's configurations, newest first, from just before the id `before`. */
export function listWebhooks(db: EntityManager, accountId: string, limit: number, before?: string): Promise<Webhook[]> {
  return db.find(Webhook, { where: { accountId, ...(before && { id: LessThan(before) }) }, order: { id: 'DESC' }, take: limit });
}
