import type { GatewayRow, GatewayView } from '@signalbox/database/gateways/gateways';
import { toStorableText } from '@signalbox/domain/sanitize';
import type { Gateway, GatewayState, OutgoingMessage } from '@signalbox/gateways/gateway';
import type { Logger } from '@signalbox/runtime/logger';
import type { Opened } from './open-gateway.ts';

/** The gateway of an enabled row, in this process. */
export interface OpenedRow<Message extends OutgoingMessage = OutgoingMessage> {
  row: GatewayRow;
  /** Undefined while the row cannot be opened. */
  gateway: Gateway<Message> | undefined;
  state: () => GatewayState;
}

/** Identifies the fields of a row by which its gateway is opened. */
function fingerprintOf({ kind, settings, sealedSecrets, ratePerSecond }: GatewayRow): string {
  return JSON.stringify([kind, settings, sealedSecrets?.toString('base64'), ratePerSecond]);
}

/**
 * The gateways of one channel in this process: those of its enabled rows, and the default one, which serves while there
 * is no row at all: the messages of a gateway that is disabled for a moment wait. A gateway whose row changed takes the
 * changes over, or is opened again; then the former one finishes the messages that it has.
 */
export class Gateways<Message extends OutgoingMessage = OutgoingMessage> {
  private readonly opened = new Map<string, OpenedRow<Message>>();
  private readonly closing = new Set<Promise<void>>();
  private readonly attachments: ((gateway: Gateway<Message>) => void)[] = [];
  private rate: number | null;
  private isConfigured = false;

  /**
   * @param defaultGateway serves while there is no row
   * @param open opens the gateway of a row, or returns the current one, which has taken its changes over
   */
  constructor(
    readonly defaultGateway: Gateway<Message>,
    private readonly open: (row: GatewayRow, current?: Gateway) => Opened,
    private readonly logger: Logger,
  ) {
    this.rate = defaultGateway.ratePerSecond;
  }

  /** True while there is a row, enabled and readable or not: then the default gateway gets no message. */
  get hasRows(): boolean {
    return this.isConfigured;
  }

  /** Is true when messages can go to more than one gateway. */
  get hasChoice(): boolean {
    return this.opened.size > 1;
  }

  /** The gateways of enabled rows, by id of the row. */
  get rows(): readonly OpenedRow<Message>[] {
    return [...this.opened.values()];
  }

  /** Every open gateway, the default one included. */
  get all(): readonly Gateway<Message>[] {
    return [this.defaultGateway, ...this.rows.flatMap(({ gateway }) => gateway ?? [])];
  }

  /** Messages per second that the gateways in use accept together; null when one of them has no limit. */
  get ratePerSecond(): number | null {
    return this.rate;
  }

  /** Finds the enabled row of a name. */
  find(name: string): OpenedRow<Message> | undefined {
    return this.rows.find(({ row }) => row.name === name);
  }

  /** Calls `attach` with each open gateway, and with each that opens later, before it gets its first message. */
  onOpen(attach: (gateway: Gateway<Message>) => void): void {
    this.attachments.push(attach);
    for (const gateway of this.all) attach(gateway);
  }

  /** Opens, reopens and closes gateways, so that exactly the enabled rows among these are open. */
  follow(rows: readonly GatewayRow[]): void {
    const enabled = new Map(rows.filter((row) => row.enabled).map((row) => [row.id, row]));
    for (const [id, known] of this.opened) if (!enabled.has(id)) this.drop(id, known);
    for (const row of enabled.values()) this.followRow(row);
    this.isConfigured = rows.length > 0;
    this.rate = this.hasRows ? sumOfRates(this.rows) : this.defaultGateway.ratePerSecond;
  }

  /** The view of this process of each enabled row. */
  views(): GatewayView[] {
    return this.rows.map(({ row, state }) => {
      const view = state();
      return { ...view, gatewayId: row.id, reason: toStorableText(view.reason) };
    });
  }

  /** Closes every gateway, and resolves when all have finished the messages that they have. */
  async close(): Promise<void> {
    for (const [id, known] of this.opened) this.drop(id, known);
    await Promise.all([this.defaultGateway.close(), ...this.closing]);
  }

  private followRow(row: GatewayRow): void {
    const known = this.opened.get(row.id);
    if (known && fingerprintOf(known.row) === fingerprintOf(row)) {
      known.row = row;
      return;
    }
    const next = this.openRow(row, known?.gateway);
    this.opened.set(row.id, next);
    if (known?.gateway && known.gateway !== next.gateway) this.drain(known.row, known.gateway);
  }

  private openRow(row: GatewayRow, current?: Gateway<Message>): OpenedRow<Message> {
    const opened = this.open(row, current);
    if ('problem' in opened) {
      this.logger.error({ gateway: row.name, problem: opened.problem }, 'gateway.unreadable');
      const state: GatewayState = { status: 'down', reason: opened.problem, since: new Date(), detail: {} };
      return { row, gateway: undefined, state: () => state };
    }
    const gateway: Gateway<Message> = opened.gateway;
    const isNew = gateway !== current;
    if (isNew) for (const attach of this.attachments) attach(gateway);
    const event = isNew ? 'gateway.opened' : 'gateway.adjusted';
    this.logger.info({ gateway: row.name, kind: row.kind, version: row.version }, event);
    return { row, gateway, state: () => gateway.state() };
  }

  private drop(id: string, { row, gateway }: OpenedRow<Message>): void {
    this.opened.delete(id);
    if (gateway) this.drain(row, gateway);
  }

  private drain(row: GatewayRow, gateway: Gateway<Message>): void {
    const drained = gateway
      .close()
      .then(() => this.logger.info({ gateway: row.name, version: row.version }, 'gateway.closed'))
      .catch((error: unknown) => this.logger.error({ gateway: row.name, error }, 'gateway.not_closed'))
      .finally(() => this.closing.delete(drained));
    this.closing.add(drained);
  }
}

/** Null when one has no limit. A paused gateway takes nothing, and adds nothing. */
function sumOfRates(rows: readonly OpenedRow[]): number | null {
  const rates = rows.filter(({ row }) => !row.paused).map(({ row }) => row.ratePerSecond);
  if (rates.length === 0) return null;
  return rates.reduce<number | null>((sum, rate) => (sum === null || rate === null ? null : sum + rate), 0);
}
