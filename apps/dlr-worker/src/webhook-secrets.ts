import { listOutdatedSecrets, resealSecret } from '@signalbox/database/webhooks/webhooks';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import type { Logger } from '@signalbox/runtime/logger';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/**
 * Seals secrets of older keys or an older format with the newest ones, so that the older keys can be removed. A secret
 * that does not open is logged and skipped. Several workers at the same time do no harm.
 */
export async function resealWebhookSecrets(db: EntityManager, sealer: Sealer, logger: Logger): Promise<void> {
  for (const { id, accountId, sealedSecret } of await listOutdatedSecrets(db, sealer.prefix)) {
    const row = webhookRow(accountId, id);
    const secret = sealer.tryOpen(sealedSecret, row);
    if (secret === undefined) logger.error({ webhookId: id }, 'webhook.secret_unreadable');
    else await resealSecret(db, id, sealedSecret, sealer.seal(secret, row));
  }
}
