import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { NO_GATEWAY } from '@signalbox/domain/ending';
import type { Lane } from '@signalbox/domain/lane';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { Gateway, OutgoingMessage } from '@signalbox/gateways/gateway';
import { batchObserver } from '@signalbox/runtime/batch-metrics';
import { ClosedError } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { isOutage } from '@signalbox/runtime/outage';
import { Channel, type ClaimedRow } from './channel.ts';
import { ClaimLeases, type Lease, type NotedBatch } from './claim-leases.ts';
import { toRejection } from '../reports/gateway-reports.ts';
import { type RecordableOutcome, toRecordedSubmit } from './recordable-outcome.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { UnansweredLog } from './unanswered-log.ts';
import { countSubmitted } from '../telemetry/message-metrics.ts';
import { traceSubmit } from '../telemetry/message-traces.ts';
import { ReportIntake } from '../reports/report-intake.ts';

/** Milliseconds within which a gateway has to return its outcomes. */
const SUBMIT_DEADLINE_MS = 30_000;

const observeSubmit = batchObserver('submit');

/** Milliseconds that a gateway has to return the outcomes it knows, once its submit is aborted. */
const ABORT_GRACE_MS = 500;

/** Milliseconds from the start of a shutdown until submits are aborted. A worker has 25 s to end. */
const PATIENCE_AT_END_MS = 8_000;

/**
 * Delays between tries to record outcomes. The maximum is short: outcomes are recorded as soon as the database is
 * back.
 */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

/** Messages for one gateway. */
export interface GatewayBatch<Message extends OutgoingMessage> {
  gateway: Gateway<Message>;
  messages: Message[];
}

/** Outcomes of a batch, once they are recorded. */
export interface Answered {
  outcomes: SubmitOutcome[];
  gatewayMs: number;
  /** When the claims of a noted batch were renewed for the last time; undefined if they were not. */
  renewedAt: number | undefined;
}

/** Decides which outcomes of a batch are recorded. A message whose outcome is left out goes to another gateway. */
export type Decide = (outcomes: SubmitOutcome[]) => RecordableOutcome[];

/**
 * Submits messages to a gateway and records its outcomes. From the submit until the record the claims of the messages
 * are renewed, and outcomes are kept through an outage of the database, so that no message is submitted twice.
 */
@Injectable()
export class Submitter<Row extends ClaimedRow = ClaimedRow, Message extends OutgoingMessage = OutgoingMessage>
  implements OnModuleDestroy
{
  /** When a shutdown aborts submits, on the clock of `performance.now()`. */
  private abortAt = Infinity;
  /** One for each submit in progress. */
  private readonly aborts = new Set<AbortController>();
  private readonly unanswered: UnansweredLog;

  constructor(
    private readonly channel: Channel<Row, Message>,
    private readonly reports: ReportIntake,
    private readonly leases: ClaimLeases,
    private readonly counts: OutcomeCounts,
    private readonly logger: Logger,
  ) {
    this.unanswered = new UnansweredLog(logger);
  }

  /**
   * Submits claimed messages and records what `decide` makes of the outcomes, by default all of them. Then deletes the
   * row of `submit_batch`, if any.
   *
   * @throws the error of the database when it refuses a record; an outage is waited for
   */
  submit(
    lane: Lane,
    batch: GatewayBatch<Message>,
    decide: Decide = (outcomes) => outcomes,
    { deadlineMs = SUBMIT_DEADLINE_MS, noted }: { deadlineMs?: number; noted?: NotedBatch } = {},
  ): Promise<Answered> {
    const work = async (lease: Readonly<Lease>): Promise<Answered> => {
      const startedAt = performance.now();
      const startMs = Date.now();
      const outcomes = await this.callGateway(batch, deadlineMs);
      const gatewayMs = Math.round((performance.now() - startedAt) * 10) / 10;
      this.counts.countOutcomes(batch.gateway.name, outcomes);
      countSubmitted(lane, batch.gateway.name, outcomes);
      observeSubmit(outcomes.length);
      traceSubmit(lane, batch.gateway.name, startMs, outcomes);
      await this.record(lane, batch.gateway.name, decide(outcomes));
      if (noted) await this.deleteNoted(batch.gateway.name, noted);
      return { outcomes, gatewayMs, renewedAt: lease.renewedAt };
    };
    return this.leases.during(batch.messages, work, noted);
  }

  /**
   * Records outcomes. A rejection is stored as a report, since a webhook expects one; it is on disk before its message
   * stops being pending, so that a crash in between loses neither.
   *
   * @param gateway null when none was chosen
   */
  async record(lane: Lane, gateway: string | null, outcomes: readonly RecordableOutcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
    const submits = outcomes.flatMap(toRecordedSubmit);
    const rejections =
      rejected.length === 0
        ? []
        : await this.persist(gateway, () =>
            this.reports.store(gateway ?? NO_GATEWAY, rejected.map(toRejection)),
          );
    const moves = await this.persist(gateway, () => this.channel.record(gateway, submits));
    this.reports.enqueue(lane, [...rejections, ...moves]);
  }

  /** Deletes the row of a batch that is not submitted any more, also through an outage of the database. */
  deleteNoted(gateway: string, batch: Pick<NotedBatch, 'id'>): Promise<void> {
    return this.persist(gateway, () => this.leases.deleteNoted(batch));
  }

  /**
   * Aborts the submits that are still in progress 8 s after a shutdown begins, and begins none from then on, so that it
   * does not wait for a slow gateway. Nest calls this before duties and jobs are awaited, some of which wait for these
   * submits.
   */
  onModuleDestroy(): void {
    this.abortAt = performance.now() + PATIENCE_AT_END_MS;
    const abortAll = (): void => {
      for (const each of this.aborts) each.abort();
    };
    setTimeout(abortAll, PATIENCE_AT_END_MS).unref();
  }

  /**
   * Submits messages to a gateway until its deadline, or until the shutdown aborts it. A message without an outcome then
   * may have arrived, whatever the gateway did: it is unconfirmed, and not submitted again.
   */
  private async callGateway(
    { gateway, messages }: GatewayBatch<Message>,
    deadlineMs: number,
  ): Promise<SubmitOutcome[]> {
    if (performance.now() >= this.abortAt) return messages.map(left);
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), deadlineMs);
    this.aborts.add(abort);
    try {
      const submitting = gateway.submit(messages, { deadlineMs, signal: abort.signal });
      const outcomes = await Promise.race([submitting, graceAfter(abort.signal)]);
      const completed = complete(messages, outcomes ?? []);
      this.unanswered.note(gateway.name, completed.filter(({ result }) => result === 'unconfirmed').length);
      return completed;
    } catch (error) {
      const about = { gateway: gateway.name, count: messages.length, deadlineMs };
      this.logger.error({ ...about, error }, 'submit.failed');
      return complete(messages, []);
    } finally {
      clearTimeout(timer);
      this.aborts.delete(abort);
    }
  }

  /** Repeats a write through an outage of the database. @throws any other error: a repeat would meet it again */
  private async persist<R>(gateway: string | null, write: () => Promise<R>): Promise<R> {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
      try {
        return await write();
      } catch (error) {
        if (!isOutage(error) || error instanceof ClosedError) throw error;
        this.logger.warn({ gateway, error }, 'submit.unrecorded');
        await sleep(delayMs);
      }
    }
  }
}

/** The outcome of a message that a worker which ends leaves to others. */
function left({ messageId }: OutgoingMessage): SubmitOutcome {
  return { messageId, result: 'throttled', scope: 'message', retryAfterMs: 0, reason: 'The worker ends.' };
}

/** Resolves ABORT_GRACE_MS after an abort. */
function graceAfter(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => setTimeout(() => resolve(undefined), ABORT_GRACE_MS), {
    once: true,
  });
  return promise;
}

/** Returns one outcome per message, in order; unconfirmed for a message without one. */
function complete(messages: readonly OutgoingMessage[], outcomes: readonly SubmitOutcome[]): SubmitOutcome[] {
  const isInOrder =
    outcomes.length === messages.length &&
    messages.every(({ messageId }, i) => outcomes[i]?.messageId === messageId);
  if (isInOrder) return [...outcomes];
  const known = new Map(outcomes.map((outcome) => [outcome.messageId, outcome]));
  return messages.map(({ messageId }) => known.get(messageId) ?? { messageId, result: 'unconfirmed' });
}
