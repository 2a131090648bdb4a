import { OnceAMinute } from '@signalbox/domain/once-a-minute';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type {
  GatewayState,
  MessageAddress,
  ReceiveInbound,
  ReceiveReports,
  SubmitOptions,
} from '../gateway.ts';
import type { GatewayHost } from '../gateway-host.ts';
import { actFor } from '../connection.ts';
import type { OpenRow } from '../open-row.ts';
import { toGatewayInbound } from '../inbound-segments.ts';
import { RefusalCounter } from '../refusal-counter.ts';
import { type OutgoingSms, SmsGateway } from '../sms-gateway.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { apart, hostApart } from './host-apart.ts';
import { IdWriter } from '../id-writer.ts';
import { SmppLink } from './link.ts';
import type { ShortMessage } from './pdu.ts';
import { queryMessages } from './query.ts';
import { Receipts } from './receipts.ts';
import type { SmppSettings } from './smpp-settings.ts';
import { describeStatus } from './status.ts';
import { StatusTable } from './status-table.ts';
import { submitBatch } from './submit-batch.ts';
import type { SubmitContext } from './submit-context.ts';
import { readInbound } from './text/inbound.ts';
import { readReceipt } from './text/receipt.ts';
import { SegmentReferences } from './text/segment-references.ts';

const DOWN_RETRY_MS = 2_000;
/** Messages from the server that are handled concurrently in this process, per session. */
const MAX_HANDLERS = 1_000;
/** Carries SMS to an SMSC by SMPP 3.4. */
export class SmppGateway extends SmsGateway {
  readonly name: string;
  override ratePerSecond: number | null;
  private readonly settings: SmppSettings;
  private readonly link: SmppLink;
  private readonly ids: IdWriter;
  private readonly receipts: Receipts;
  private readonly context: SubmitContext;
  private readonly alarms: OnceAMinute;
  private readonly connection: string;
  private readonly host: GatewayHost;
  private isClosed = false;
  private receiveReports: ReceiveReports = () => Promise.reject(new Error('reports have no receiver yet'));
  private receiveInbound: ReceiveInbound = () => Promise.reject(new Error('messages have no receiver yet'));

  constructor(
    row: OpenRow<SmppSettings>,
    given: GatewayHost,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {
    super();
    const { name, settings } = row;
    this.name = name;
    this.settings = settings;
    this.ratePerSecond = row.ratePerSecond;
    this.connection = connectionOf(row);
    this.alarms = new OnceAMinute(() => clock.now());
    const host = hostApart(given);
    this.host = host;
    this.link = this.act(() => this.newLink(row));
    this.ids = new IdWriter(
      (rows) => host.ids.insert(name, rows),
      clock,
      (error, rows) => host.logger.warn({ gateway: name, error, rows }, 'smpp.ids_unstored'),
    );
    this.receipts = new Receipts({
      gateway: name,
      ids: host.ids,
      orphans: host.orphans,
      settings: settings.receipts,
      receive: (reports) => this.receiveReports(reports),
      idsStored: () => this.ids.stored(),
    });
    this.context = this.newContext();
  }

  onReports(receive: ReceiveReports): void {
    this.receiveReports = apart(receive);
  }

  onInbound(receive: ReceiveInbound): void {
    this.receiveInbound = apart(receive);
  }

  async submit(messages: OutgoingSms[], options: SubmitOptions): Promise<SubmitOutcome[]> {
    if (messages.length === 0) return [];
    if (!this.isClosed && this.link.isServing)
      return this.act(() => submitBatch(messages, options, this.context));
    if (!this.isClosed && this.link.isTestable) return this.act(() => this.test(messages, options));
    return messages.map(({ messageId }) => this.down(messageId));
  }

  /** Submits the first message to a silent server, which takes no other one until it has answered. */
  private async test([first, ...others]: OutgoingSms[], options: SubmitOptions): Promise<SubmitOutcome[]> {
    if (!first) return [];
    this.link.silence.beginTest();
    const turnedAway = others.map(({ messageId }) => this.down(messageId));
    try {
      return [...(await submitBatch([first], options, this.context)), ...turnedAway];
    } finally {
      this.link.silence.endTest();
    }
  }

  override get pacesItself(): boolean {
    return true;
  }

  override get canBeAsked(): boolean {
    return this.settings.query;
  }

  async query(messages: MessageAddress[]): Promise<MessageAddress[]> {
    if (!this.canBeAsked) return [];
    if (this.isClosed || !this.link.isServing) return messages;
    const { encoding } = this.settings;
    return this.act(() =>
      queryMessages(messages, this.link, encoding, this.clock, (message) => this.receive(message)),
    );
  }

  state(): GatewayState {
    return this.link.state();
  }

  /**
   * The pace, the window and the trace change in place: another bind could be refused while the SMSC counts the
   * former one.
   */
  override adopt(row: OpenRow<SmppSettings>): boolean {
    if (connectionOf(row) !== this.connection) return false;
    const { ratePerSecond, settings } = row;
    this.ratePerSecond = ratePerSecond;
    this.link.adjust({ ratePerSecond, window: settings.window, trace: settings.trace });
    return true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.act(() => this.link.close());
    await this.ids.close();
  }

  /** Runs code of the gateway, so that an exception in it, or in what it starts, is traced to the gateway. */
  private act<R>(run: () => R): R {
    return actFor({ gateway: this.name }, run);
  }

  private down(messageId: string): SubmitOutcome {
    const { reason } = this.link.state();
    return { messageId, result: 'throttled', scope: 'gateway', retryAfterMs: DOWN_RETRY_MS, reason };
  }

  /** Stores what the server delivers: a receipt, or a message of a subscriber. Anything else is dropped with a log. */
  private receive(message: ShortMessage): Promise<void> {
    const receipt = readReceipt(message, this.settings.receipts);
    return receipt ? this.receipts.add(receipt) : this.receiveMessage(message);
  }

  private async receiveMessage(message: ShortMessage): Promise<void> {
    const segment = readInbound(message, this.settings.encoding);
    if (!segment) return this.noteUnreadable(describeUnread(message));
    const complete = await this.host.segments.add(this.name, segment);
    if (!complete) return;
    await this.receiveInbound([toGatewayInbound(complete)]);
    await this.host.segments.end(complete);
  }

  private newLink(row: OpenRow<SmppSettings>): SmppLink {
    const { slots, logger, share } = this.host;
    return new SmppLink({
      ...linkOptions(row),
      clock: this.clock,
      slots,
      logger,
      random: Math.random,
      share,
      receive: (message) => this.receive(message),
      onUnreadable: (problem) => this.noteUnreadable(problem),
    });
  }

  private newContext(): SubmitContext {
    return {
      link: this.link,
      clock: this.clock,
      ids: this.ids,
      storesRefused: this.settings.receipts.receiptsFrom === 'all',
      encoding: this.settings.encoding,
      references: new SegmentReferences(),
      statuses: new StatusTable(this.settings.statuses),
      faults: new RefusalCounter(),
      reportLate: (report) => void this.reportLate(report),
      alarm: (status) => this.alarm(status),
    };
  }

  /** Without a receiver that stores it, the message stays unconfirmed until it expires. */
  private async reportLate(report: GatewayReport): Promise<void> {
    try {
      await this.receiveReports([report]);
    } catch (error) {
      this.host.logger.warn(
        { gateway: this.name, error, messageId: report.messageId },
        'smpp.report_unstored',
      );
    }
  }

  /** Logs a message from the server that cannot be read, once a minute. */
  private noteUnreadable(problem: string): void {
    if (this.alarms.isDue('unreadable'))
      this.host.logger.warn({ gateway: this.name, problem }, 'smpp.unreadable');
  }

  /** Logs that the server refuses how requests are made, at most once a minute for each status. */
  private alarm(status: number): void {
    if (!this.alarms.isDue(status)) return;
    this.host.logger.error({ gateway: this.name, status: describeStatus(status) }, 'smpp.request_refused');
  }
}

function describeUnread({ esmClass, dataCoding }: ShortMessage): string {
  return `deliver_sm: it is no text and no receipt (esm_class ${esmClass}, data_coding ${dataCoding})`;
}

/** Identifies what needs other binds, or another gateway, when it changes. */
function connectionOf({ settings, secrets }: OpenRow<SmppSettings>): string {
  return JSON.stringify([{ ...settings, window: undefined, trace: undefined }, secrets]);
}

function linkOptions({ name, settings, secrets, ratePerSecond }: OpenRow<SmppSettings>) {
  const { host, port, tls, systemId, systemType } = settings;
  return {
    name,
    ratePerSecond,
    binds: settings.binds,
    window: settings.window,
    trace: settings.trace,
    mode: settings.bindMode,
    peer: { host, port, tls },
    fields: {
      systemId,
      systemType,
      password: secrets['password'] ?? '',
      interfaceVersion: 0x34,
      addressTon: settings.addressTon,
      addressNpi: settings.addressNpi,
      addressRange: settings.addressRange,
    },
    enquireMs: settings.enquireSeconds * 1_000,
    responseMs: settings.responseSeconds * 1_000,
    maxHandlers: MAX_HANDLERS,
  };
}
