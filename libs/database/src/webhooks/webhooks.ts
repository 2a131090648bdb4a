import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { type OldSecret, Webhook } from './webhook.entity.ts';

/** What a person may change of a webhook. */
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
>;

/** A webhook as it is made: on, and with one secret. */
export type NewWebhook = WebhookSettings &
  Pick<Webhook, 'id' | 'accountId' | 'channel' | 'sealedSecret' | 'createdAt'>;

const SETTINGS = `name, provider, method, end_point, headers, fields, events, intermediate, filters, schedule, max_in_flight, rate_per_second`;

function settingsOf(webhook: WebhookSettings): unknown[] {
  return [
    webhook.name,
    webhook.provider,
    webhook.method,
    webhook.endPoint,
    JSON.stringify(webhook.headers),
    webhook.fields,
    webhook.events,
    webhook.intermediate,
    JSON.stringify(webhook.filters),
    webhook.schedule,
    webhook.maxInFlight,
    webhook.ratePerSecond,
  ];
}

/** Stores a configuration; false when the account has one of that name already. */
export async function insertWebhook(db: EntityManager, webhook: NewWebhook): Promise<boolean> {
  const inserted: unknown[] = await db.query(
    `INSERT INTO webhook (${SETTINGS}, id, account_id, channel, sealed_secret, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
     ON CONFLICT (account_id, name) WHERE deleted_at IS NULL DO NOTHING RETURNING id`,
    [
      ...settingsOf(webhook),
      webhook.id,
      webhook.accountId,
      webhook.channel,
      webhook.sealedSecret,
      webhook.createdAt,
    ],
  );
  return inserted.length > 0;
}

/** One configuration of an account; undefined when there is none, whoever else may have it. */
export async function findWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<Webhook | undefined> {
  return (await db.findOneBy(Webhook, { id, accountId, deletedAt: IsNull() })) ?? undefined;
}

/** The same, held until the end of the transaction, so that what is changed is what was read. */
export async function lockWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<Webhook | undefined> {
  const where = { id, accountId, deletedAt: IsNull() };
  return (await db.findOne(Webhook, { where, lock: { mode: 'pessimistic_write' } })) ?? undefined;
}

/** A page of an account's configurations, newest first, from just before the id `before`. */
export function listWebhooks(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
): Promise<Webhook[]> {
  const where = { accountId, deletedAt: IsNull(), ...(before && { id: LessThan(before) }) };
  return db.find(Webhook, { where, order: { id: 'DESC' }, take: limit });
}

/** Changes a configuration; false when the account has another one of that name. */
export async function updateWebhook(
  db: EntityManager,
  accountId: string,
  id: string,
  settings: WebhookSettings,
): Promise<boolean> {
  try {
    await db.query(
      `UPDATE webhook SET (${SETTINGS}, updated_at) = ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9::jsonb, $10::integer[], $11, $12, now())
        WHERE id = $13 AND account_id = $14 AND deleted_at IS NULL`,
      [...settingsOf(settings), id, accountId],
    );
    return true;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'webhook_name') return false;
    throw error;
  }
}

/**
 * Takes a configuration away: nothing is pushed to it any more, its secrets are wiped and its name is free. The row stays for the pushes
 * that name it. False when there is none.
 */
export async function deleteWebhook(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const [deleted] = (await db.query(
    `UPDATE webhook SET deleted_at = now(), disabled_at = COALESCE(disabled_at, now()), disabled_reason = 'deleted', sealed_secret = '', old_secrets = '[]'
      WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL RETURNING id`,
    [id, accountId],
  )) as [unknown[], number];
  return deleted.length > 0;
}

/** Webhooks whose secret begins with one of these key ids. */
export function listSealedWith(
  db: EntityManager,
  keyIds: readonly Buffer[],
): Promise<Pick<Webhook, 'id' | 'sealedSecret'>[]> {
  return db.query(
    `SELECT id, sealed_secret AS "sealedSecret" FROM webhook WHERE substr(sealed_secret, 1, 4) = ANY($1::bytea[]) LIMIT 1000`,
    [keyIds],
  );
}

/** Puts a secret that was sealed anew in the place of the same one, unless it was replaced meanwhile. */
export async function resealSecret(
  db: EntityManager,
  webhookId: string,
  from: Buffer,
  to: Buffer,
): Promise<void> {
  await db.query(`UPDATE webhook SET sealed_secret = $3 WHERE id = $1 AND sealed_secret = $2`, [
    webhookId,
    from,
    to,
  ]);
}

/** Puts a new signing secret in the place of the one there is, which joins the old ones. */
export async function replaceSecret(
  db: EntityManager,
  webhookId: string,
  sealedSecret: Buffer,
  oldSecrets: OldSecret[],
): Promise<void> {
  await db.query(
    `UPDATE webhook SET sealed_secret = $2, old_secrets = $3, updated_at = now() WHERE id = $1 AND deleted_at IS NULL`,
    [webhookId, sealedSecret, JSON.stringify(oldSecrets)],
  );
}
