import type { GatewayRow } from '@signalbox/database/gateways/gateways';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayHost } from '@signalbox/gateways/gateway-host';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import type { OpenRow } from '@signalbox/gateways/open-row';
import { findGatewayKind } from '@signalbox/gateways/registry';
import type { Sealer } from '@signalbox/runtime/seal';
import { openGatewaySecrets } from '../routing-config/gateway-secrets.ts';
import { readRow } from './read-row.ts';

/** Services and settings by which rows are opened. */
export interface GatewayOpenerOptions {
  sealer: Sealer;
  host: GatewayHost;
  /** The public address under which callbacks arrive, without a path; null when there is none. */
  publicUrl: string | null;
  /** Those of the registry by default. */
  kinds?: readonly GatewayKind[] | undefined;
}

/** A gateway, or a sentence that says why its row cannot be opened. */
export type Opened = { gateway: Gateway } | { problem: string };

/**
 * Opens the gateway of a row. Never throws: whatever is wrong with a row is its state, and stops nobody else.
 *
 * @param current the open gateway of the row as it was; it is returned when it takes the changes over
 */
export function openGateway(row: GatewayRow, options: GatewayOpenerOptions, current?: Gateway): Opened {
  const kind = findGatewayKind(row.kind, options.kinds);
  if (!kind)
    return {
      problem: `This version knows no gateways of kind ${row.kind}: update it, or delete the gateway.`,
    };
  if (!kind.channels.includes(row.channel))
    return { problem: `Gateways of kind ${row.kind} do not carry messages of channel ${row.channel}.` };
  const secrets = openGatewaySecrets(row, options.sealer);
  if (!secrets)
    return { problem: 'Its credentials do not open with the SECRETS_KEY of this process: give them again.' };
  const read = readRow(kind, row, secrets, options.publicUrl);
  if ('problems' in read)
    return { problem: `${read.problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ')}.` };
  if (current?.adopt(read)) return { gateway: current };
  return openKind(kind, read, options.host);
}

function openKind(kind: GatewayKind, row: OpenRow<object>, host: GatewayHost): Opened {
  try {
    return { gateway: kind.open(row, host) };
  } catch (error) {
    return { problem: `It does not open: ${(error as Error).message}` };
  }
}
