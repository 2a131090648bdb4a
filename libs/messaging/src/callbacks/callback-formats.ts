import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { type GatewayRow, listGatewaysNamed } from '@signalbox/database/gateways/gateways';
import type { Channel } from '@signalbox/domain/channel';
import type { VendorOfGateway } from '@signalbox/domain/routing/opt-out-codes';
import type { CallbackFormat, CallbackRequest } from '@signalbox/gateways/callback-format';
import { CHAT_SIMULATOR } from '@signalbox/gateways/simulator/chat-callback';
import { findGatewayKind, simulatorCallbacks } from '@signalbox/gateways/registry';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import type { Sealer } from '@signalbox/runtime/seal';
import { readRow } from '../gateways/read-row.ts';
import { openGatewaySecrets } from '../routing-config/gateway-secrets.ts';
import { GATEWAY_NAME } from '../routing-config/specs.ts';

/** Time within which a change of a gateway is in force. */
const FRESH_MS = 1_000;
const MAX_CACHED = 500;

/** The callbacks of one gateway. */
export interface GatewayCallbacks {
  channel: Channel;
  format: CallbackFormat;
  /** Undefined for the simulator. */
  row?: VendorOfGateway;
  /** Formats with replaced credentials, each until a time in ISO 8601. */
  former?: readonly { format: CallbackFormat; until: string }[];
}

/** Is true for a callback of the gateway, by its credentials or by replaced ones that are still valid. */
export function isGenuine({ format, former = [] }: GatewayCallbacks, request: CallbackRequest): boolean {
  const now = new Date().toISOString();
  return format.verify(request) || former.some((each) => each.until > now && each.format.verify(request));
}

/** The address of callbacks, and the secrets of the simulator. */
export interface CallbackOptions {
  /** The public address of the API; null in a process that only reads callbacks. */
  publicUrl: string | null;
  /** Secrets of the simulator, any of which may sign. */
  simulatorSecrets: readonly string[];
}

/** Finds the callback formats of gateways: the simulator's, and those of all rows, disabled ones included. */
export class CallbackFormats {
  private readonly rows: CachedLookup<string, GatewayCallbacks>;

  constructor(
    db: EntityManager,
    private readonly sealer: Sealer,
    private readonly options: CallbackOptions,
  ) {
    const find = async (names: string[]): Promise<(GatewayCallbacks | undefined)[]> => {
      const rows = await listGatewaysNamed(db, names);
      const byName = new Map(rows.map((row) => [row.name, row]));
      return names.map((name) => this.open(byName.get(name)));
    };
    this.rows = new CachedLookup(find, { freshMs: FRESH_MS, maxCached: MAX_CACHED });
  }

  /**
   * Callers are not authenticated yet: a name that no gateway can have is looked up in no statement, since a value that
   * Postgres refuses would fail the others in it.
   *
   * @returns undefined when no gateway of this name reports by callback
   */
  async find(gateway: string): Promise<GatewayCallbacks | undefined> {
    const format = simulatorCallbacks(gateway, this.options.simulatorSecrets);
    if (format) return { channel: 'chatapp', format };
    return GATEWAY_NAME.test(gateway) ? this.rows.find(gateway) : undefined;
  }

  /** Undefined as well for a row whose settings or credentials are not valid. */
  private open(row: GatewayRow | undefined): GatewayCallbacks | undefined {
    if (!row) return undefined;
    const format = this.formatOf(row, openGatewaySecrets(row, this.sealer) ?? {});
    return format && { channel: row.channel, format, row, former: this.formerOf(row) };
  }

  /** Replaced credentials that do not open, or do not fit the settings, are left out. */
  private formerOf(row: GatewayRow): { format: CallbackFormat; until: string }[] {
    return row.oldSecrets.flatMap(({ sealed, until }) => {
      const sealedSecrets = Buffer.from(sealed, 'base64');
      const secrets = openGatewaySecrets({ id: row.id, sealedSecrets }, this.sealer);
      const format = secrets && this.formatOf(row, secrets);
      return format ? [{ format, until }] : [];
    });
  }

  private formatOf(row: GatewayRow, secrets: Record<string, string>): CallbackFormat | undefined {
    const kind = findGatewayKind(row.kind);
    if (!kind?.callbacks) return undefined;
    const read = readRow(kind, row, secrets, this.options.publicUrl);
    return 'problems' in read ? undefined : kind.callbacks(read);
  }
}

/** Is true for a gateway whose callbacks are answered in the envelope of the API. */
export function isSimulator(gateway: string): boolean {
  return gateway === CHAT_SIMULATOR;
}
