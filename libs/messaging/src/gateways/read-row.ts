import type { GatewayRow } from '@signalbox/database/gateways/gateways';
import type { GatewayKind, GatewayProblem } from '@signalbox/gateways/gateway-kind';
import type { OpenRow } from '@signalbox/gateways/open-row';
import { readSettings } from '@signalbox/gateways/read-settings';

/**
 * Reads the row of a gateway as its kind opens it; returns what is wrong with its settings and credentials instead.
 *
 * @param secrets the credentials of the row, opened
 * @param publicUrl the public address of the API, under which callbacks arrive; null when there is none
 */
export function readRow(
  kind: GatewayKind,
  { name, channel, ratePerSecond, settings: given }: GatewayRow,
  secrets: Record<string, string>,
  publicUrl: string | null,
): OpenRow<object> | { problems: GatewayProblem[] } {
  const read = readSettings(kind, given, secrets);
  if ('problems' in read) return read;
  const callbackUrl = publicUrl === null ? null : `${publicUrl.replace(/\/$/, '')}/v1/callbacks/${name}`;
  return { name, channel, ratePerSecond, settings: read.settings, secrets, callbackUrl };
}
