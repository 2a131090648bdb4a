import { setImmediate, setTimeout } from 'node:timers/promises';
import { type OutgoingSms, SmsGateway } from '../sms-gateway.ts';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { finalReport, type ScriptedReport, type SmsScript, smsScript } from './script.ts';

const MIN_THROTTLE_MS = 50;
const FIRST_REPEAT_MS = 200;
const MAX_REPEAT_MS = 5000;

/** A message with reports to come. Its `reports` are shared with all messages of its script. */
interface Pending {
  messageId: string;
  reports: readonly ScriptedReport[];
}

/** Messages whose reports are made together: one timer and one hand-over per step. */
interface Batch {
  pending: Pending[];
  done: Promise<void>;
}

/**
 * The gateway of a machine without an upstream: nothing leaves it, and the last four digits of a recipient choose what happens
 * (decisions, The simulator gateway). Reports that wait are held in memory only; those of a process that died are made good by
 * `query`, because everything follows from the recipient.
 */
export class SimulatorGateway extends SmsGateway {
  readonly name = 'simulator';
  private readonly closing = new AbortController();
  private readonly batches = new Set<Batch>();
  private receive: (reports: GatewayReport[]) => Promise<void> = () =>
    Promise.reject(new Error('nobody receives reports yet'));

  override readonly ratePerSecond: number | null;

  /** @param options `delayMs` between the steps of a script; with 0 the reports follow right after the submit answer */
  constructor(private readonly options: { delayMs: number; ratePerSecond?: number | null }) {
    super();
    this.ratePerSecond = options.ratePerSecond ?? null;
  }

  onReports(receive: (reports: GatewayReport[]) => Promise<void>): void {
    this.receive = receive;
  }

  /**
   * One message holds up the answer of its whole batch where its script says so: one that is reported early until the receiver took
   * the report, an `unconfirmed` one for a delay, as a submit that times out does.
   */
  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    if (this.closing.signal.aborted) throw new Error('the simulator is closed');
    const early: Pending[] = [];
    const later: Pending[] = [];
    let unconfirmed = false;
    const outcomes = messages.map(({ messageId, recipient, attempt }): SubmitOutcome => {
      const script = smsScript(recipient);
      if (attempt <= script.throttled)
        return { messageId, result: 'throttled', retryAfterMs: this.throttleMs() };
      if (script.reports.length > 0)
        (script.early ? early : later).push({ messageId, reports: script.reports });
      unconfirmed ||= script.answer === 'unconfirmed';
      return { messageId, result: script.answer };
    });
    await this.start(early);
    void this.start(later, this.options.delayMs);
    if (unconfirmed) await this.pause(this.options.delayMs);
    return outcomes;
  }

  /** Reports at once how the scripts end, but for messages whose own reports are still to come. */
  async query(messages: { messageId: string; recipient: string }[]): Promise<void> {
    const known = new Set(
      [...this.batches].flatMap((batch) => batch.pending.map(({ messageId }) => messageId)),
    );
    const lost = messages.filter(({ messageId }) => !known.has(messageId));
    void this.start(lost.flatMap(({ messageId, recipient }) => ending(messageId, smsScript(recipient))));
  }

  /** Hands over at once what waits for its delay. A receiver that rejects is not called again. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.batches].map((batch) => batch.done));
  }

  private throttleMs(): number {
    return Math.max(this.options.delayMs, MIN_THROTTLE_MS);
  }

  /** Makes the reports of messages step by step; with a delay, before the first one too. Never rejects. */
  private start(pending: Pending[], delayMs?: number): Promise<void> {
    if (pending.length === 0) return Promise.resolve();
    const batch: Batch = { pending, done: Promise.resolve() };
    this.batches.add(batch);
    batch.done = this.run(batch, delayMs).finally(() => this.batches.delete(batch));
    return batch.done;
  }

  private async run(batch: Batch, firstDelayMs?: number): Promise<void> {
    if (firstDelayMs !== undefined) await this.pause(firstDelayMs);
    for (let step = 0; batch.pending.length > 0; step += 1) {
      if (step > 0) await this.pause(this.options.delayMs);
      await this.handOver(stepReports(batch.pending, step));
      batch.pending = batch.pending.filter(({ reports }) => reports.length > step + 1);
    }
  }

  /** Calls the receiver until it takes the reports; a receiver logs its own failures. After close() the last failure is final. */
  private async handOver(reports: GatewayReport[]): Promise<void> {
    for (let repeatMs = FIRST_REPEAT_MS; ; repeatMs = Math.min(repeatMs * 2, MAX_REPEAT_MS)) {
      try {
        return await this.receive(reports);
      } catch {
        if (this.closing.signal.aborted) return;
        await this.pause(repeatMs);
      }
    }
  }

  /** Waits, but no longer than until close(). */
  private async pause(delayMs: number): Promise<void> {
    if (delayMs === 0) await setImmediate();
    else await setTimeout(delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

function ending(messageId: string, script: SmsScript): Pending[] {
  const report = finalReport(script);
  return report ? [{ messageId, reports: [report] }] : [];
}

function stepReports(pending: Pending[], step: number): GatewayReport[] {
  const reportedAt = new Date();
  return pending.map(({ messageId, reports }) => ({ messageId, ...reports[step]!, reportedAt }));
}
