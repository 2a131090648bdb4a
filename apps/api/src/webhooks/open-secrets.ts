import type { KeyObject } from 'node:crypto';
import { type Webhook, sealedSecrets } from '@signalbox/database/webhooks/webhook.entity';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { secretKey } from '@signalbox/domain/webhooks/push-signature';
import type { Sealer } from '@signalbox/runtime/seal';

/**
 * Opens the secrets that sign the calls of a webhook, the newest first. An older one that does not open is left out.
 *
 * @returns undefined when the newest is damaged, or sealed with a key that this process lacks
 */
export function openSecrets(sealer: Sealer, webhook: Webhook, now: Date): KeyObject[] | undefined {
  const row = webhookRow(webhook.accountId, webhook.id);
  const [newest, ...older] = sealedSecrets(webhook, now).map((sealed) => sealer.tryOpen(sealed, row));
  if (newest === undefined) return undefined;
  return [newest, ...older.filter((secret) => secret !== undefined)].map(secretKey);
}
