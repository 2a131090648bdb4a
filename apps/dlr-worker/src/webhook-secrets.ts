import { listSealedWith, resealSecret } from '@signalbox/database/webhooks/webhooks';
import type { Logger } from '@signalbox/runtime/logger';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/**
 * Seals secrets of older keys with the newest one, so that the older keys can be removed. A secret that does not open is logged and
 * skipped. Several workers at the same time do no harm.
 */
export async function resealWebhookSecrets(db: EntityManager, sealer: Sealer, logger: Logger): Promise<void> {
  if (sealer.olderKeyIds.length === 0) return;
  for (const { id, sealedSecret } of await listSealedWith(db, sealer.olderKeyIds)) {
    const secret = sealer.tryOpen(sealedSecret);
    if (secret === undefined) logger.error({ webhookId: id }, 'webhook.secret_unreadable');
    else await resealSecret(db, id, sealedSecret, sealer.seal(secret));
  }
}
