import type { KeyObject } from 'node:crypto';
import { type Webhook, sealedSecrets } from '@signalbox/database/webhooks/webhook.entity';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { secretKey } from '@signalbox/domain/webhooks/push-signature';
import type { Sealer } from '@signalbox/runtime/seal';

/**
 * Opens the secrets that sign the calls of a webhook, the newest first.
 *
 * @returns undefined when a secret is damaged, or sealed with a key that this process lacks
 */
export function openSecrets(sealer: Sealer, webhook: Webhook, now: Date): KeyObject[] | undefined {
  try {
    const row = webhookRow(webhook.accountId, webhook.id);
    return sealedSecrets(webhook, now).map((sealed) => secretKey(sealer.open(sealed, row)));
  } catch {
    return undefined;
  }
}
