import type { GatewayRow } from '@signalbox/database/gateways/gateways';
import { gatewayRow } from '@signalbox/domain/sealed-rows';
import type { Sealer } from '@signalbox/runtime/seal';

/**
 * Opens the credentials of a gateway by name. @returns undefined when they were sealed with another key, for another
 * row, or are damaged
 */
export function openGatewaySecrets(
  { id, sealedSecrets }: Pick<GatewayRow, 'id' | 'sealedSecrets'>,
  sealer: Pick<Sealer, 'tryOpen'>,
): Record<string, string> | undefined {
  if (sealedSecrets === null) return {};
  const text = sealer.tryOpen(sealedSecrets, gatewayRow(id));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return undefined;
  }
}
