import { type EntityManager, IsNull, LessThan } from 'typeorm';
import type { OldSecret } from '../core/old-secrets.ts';
import { returning } from '../core/returning.ts';
import { orNameExists } from '../core/unique-name.ts';
import { Webhook } from './webhook.entity.ts';

/** The settings of a webhook that a request may change. */
export type WebhookSettings = Pick<
  Webhook,
  | 'name'
  | 'provider'
  | 'method'
  | 'endPoint'
  | 'headers'
  | 'fields'
  | 'events'
  | 'intermediate'
  | 'filters'
  | 'schedule'
  | 'maxInFlight'
  | 'ratePerSecond'
  | 'batch'
>;

/** A new webhook: enabled, with one secret. */
export type NewWebhook = WebhookSettings &
  Pick<Webhook, 'id' | 'accountId' | 'channel' | 'sealedSecret' | 'createdAt'>;

const NAME_INDEX = 'webhook_name';

/** Inserts a webhook; false when the account has one of that name. */
export async function insertWebhook(db: EntityManager, webhook: NewWebhook): Promise<boolean> {
  const insert = db.insert(Webhook, { ...webhook, updatedAt: webhook.createdAt });
  return (await orNameExists(NAME_INDEX, insert)) !== 'name_exists';
}

/** Finds one webhook of an account. */
export async function findWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<Webhook | undefined> {
  return (await db.findOneBy(Webhook, { id, accountId, deletedAt: IsNull() })) ?? undefined;
}

/**
 * Finds one webhook of an account and locks it until the end of the transaction, so that a change is based on what was
 * read.
 */
export async function lockWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<Webhook | undefined> {
  const where = { id, accountId, deletedAt: IsNull() };
  return (await db.findOne(Webhook, { where, lock: { mode: 'pessimistic_write' } })) ?? undefined;
}

/** Lists a page of an account's webhooks, newest first, before the id `before`. */
export function listWebhooks(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
): Promise<Webhook[]> {
  const where = { accountId, deletedAt: IsNull(), ...(before && { id: LessThan(before) }) };
  return db.find(Webhook, { where, order: { id: 'DESC' }, take: limit });
}

/** Changes a webhook; false when the account has another one of that name. */
export async function updateWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
  settings: WebhookSettings,
): Promise<boolean> {
  const where = { id, accountId, deletedAt: IsNull() };
  const update = db.update(Webhook, where, { ...settings, updatedAt: () => 'now()' });
  return (await orNameExists(NAME_INDEX, update)) !== 'name_exists';
}

/**
 * Deletes a webhook: nothing is pushed to it any more, its secrets are wiped and its name is free. The row stays for
 * the pushes that name it. False when there is none.
 */
export async function deleteWebhook(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const deleted = await returning(
    db,
    `UPDATE webhook
        SET deleted_at = now(),
            disabled_at = COALESCE(disabled_at, now()),
            disabled_reason = 'deleted',
            sealed_secret = '',
            old_secrets = '[]'
      WHERE id = $1
        AND account_id = $2
        AND deleted_at IS NULL
     RETURNING id`,
    [id, accountId],
  );
  return deleted.length > 0;
}

/** Replaces the signing secret. `oldSecrets` are those that pushes are signed with too. */
export async function replaceSecret(
  db: EntityManager,
  webhookId: string,
  sealedSecret: Buffer,
  oldSecrets: OldSecret[],
): Promise<void> {
  const where = { id: webhookId, deletedAt: IsNull() };
  await db.update(Webhook, where, { sealedSecret, oldSecrets, updatedAt: () => 'now()' });
}
