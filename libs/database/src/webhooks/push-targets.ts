import type { EntityManager } from 'typeorm';
import type { Webhook } from './webhook.entity.ts';
import type { WebhookSettings } from './webhooks.ts';

/** A webhook as a push needs it, with the health of its endpoint. */
export interface WebhookTarget
  extends Omit<WebhookSettings, 'name'>,
    Pick<Webhook, 'id' | 'accountId' | 'channel' | 'sealedSecret' | 'oldSecrets' | 'disabledAt'> {
  /** 0 while its breaker is closed. */
  openLevel: number;
  /** Failed calls since the last success. */
  failures: number;
}

/** Lists the webhooks of these accounts, of either channel, including disabled ones. */
export function listPushTargets(db: EntityManager, accountIds: string[]): Promise<WebhookTarget[]> {
  return db.query(
    `SELECT w.id, w.account_id AS "accountId", w.channel, w.provider, w.method, w.endpoint AS "endPoint",
            w.headers, w.fields, w.events, w.intermediate, w.filters, w.schedule,
            w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", w.batch,
            w.sealed_secret AS "sealedSecret", w.old_secrets AS "oldSecrets", w.disabled_at AS "disabledAt",
            COALESCE(e.open_level, 0) AS "openLevel", COALESCE(e.failures, 0) AS failures
       FROM webhook w
       LEFT JOIN endpoint e ON e.webhook_id = w.id
      WHERE w.account_id = ANY($1::uuid[])
        AND w.deleted_at IS NULL`,
    [accountIds],
  );
}
