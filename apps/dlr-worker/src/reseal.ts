import { listOutdatedSeals, updateSeal } from '@signalbox/database/ops/sealed-values';
import type { Logger } from '@signalbox/runtime/logger';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/**
 * Seals values of older keys or an older format with the newest ones, so that the older keys can be removed. A value
 * that does not open is logged and skipped. Several workers at the same time do no harm.
 */
export async function reseal(db: EntityManager, sealer: Sealer, logger: Logger): Promise<void> {
  for (const value of await listOutdatedSeals(db, sealer.prefix)) {
    const { table, id } = value;
    const text = sealer.tryOpen(value.sealed, value);
    if (text === undefined) logger.error({ table, id }, 'secret.unreadable');
    else await updateSeal(db, value, sealer.seal(text, value));
  }
}
