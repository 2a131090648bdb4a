import { listSealedWith, resealSecret } from '@signalbox/database/webhooks/webhooks';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** Seals with the newest key what an older one sealed, so that the older one can be taken away. Several workers at once do no harm. */
export async function resealWebhookSecrets(db: EntityManager, sealer: Sealer): Promise<void> {
  if (sealer.olderKeyIds.length === 0) return;
  for (const { id, sealedSecret } of await listSealedWith(db, sealer.olderKeyIds)) {
    await resealSecret(db, id, sealedSecret, sealer.seal(sealer.open(sealedSecret)));
  }
}
