import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AnyLane } from '@signalbox/domain/lane';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import type { GatewayBatch } from '@signalbox/gateways/gateways';
import { ClosedError } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { isOutage } from '@signalbox/runtime/outage';
import { Channel, type ClaimedRow } from './channel.ts';
import { ClaimLeases } from './claim-leases.ts';
import { toRecordedSubmit, toRejection } from './gateway-reports.ts';
import { ReportIntake } from './report-intake.ts';

/** Time after which a gateway that has not answered counts as silent: its messages may have arrived. */
const SUBMIT_DEADLINE_MS = 30_000;

/**
 * Delays between tries to record outcomes. Short at most, so that they are recorded as soon as the database is back.
 */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

/** Outcomes of a batch, once they are recorded. */
export interface Answered {
  outcomes: SubmitOutcome[];
  gatewayMs: number;
}

/**
 * Submits messages to a gateway and records its outcomes. From the submit until the record the claims of the messages
 * are renewed, and outcomes are kept through an outage of the database, so that no message is submitted twice.
 */
@Injectable()
export class Submitter<
  Row extends ClaimedRow = ClaimedRow,
  Message extends OutgoingMessage = OutgoingMessage,
> {
  constructor(
    private readonly channel: Channel<Row, Message>,
    private readonly reports: ReportIntake,
    private readonly leases: ClaimLeases,
    private readonly logger: Logger,
  ) {}

  /**
   * Submits claimed messages.
   *
   * @throws what the gateway threw, or what the database answers to a record that it will never take
   */
  submit(lane: AnyLane, batch: GatewayBatch<Message>, deadlineMs = SUBMIT_DEADLINE_MS): Promise<Answered> {
    return this.leases.during(batch.messages, async () => {
      const startedAt = performance.now();
      const outcomes = await this.outcomesOf(batch, deadlineMs);
      const gatewayMs = Math.round((performance.now() - startedAt) * 10) / 10;
      await this.record(lane, batch.gateway.name, outcomes);
      return { outcomes, gatewayMs };
    });
  }

  /** A gateway that does not answer in time may have the messages, so they are not submitted again. */
  private async outcomesOf(
    { gateway, messages }: GatewayBatch<Message>,
    deadlineMs: number,
  ): Promise<SubmitOutcome[]> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const expiry = new AbortController();
    const timer = setTimeout(() => {
      expiry.abort();
      resolve(undefined);
    }, deadlineMs);
    try {
      const outcomes = await Promise.race([
        gateway.submit(messages, { deadlineMs, signal: expiry.signal }),
        late,
      ]);
      if (outcomes) return outcomes;
    } finally {
      clearTimeout(timer);
    }
    this.logger.error({ gateway: gateway.name, count: messages.length, deadlineMs }, 'submit.timed_out');
    return messages.map(({ messageId }) => ({ messageId, result: 'unconfirmed' }));
  }

  /**
   * Stores a rejection as a report, since a webhook expects one. It is on disk before its message stops being pending,
   * so that a crash in between loses neither.
   */
  private async record(lane: AnyLane, gateway: string, outcomes: SubmitOutcome[]): Promise<void> {
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
    const submits = outcomes.flatMap(toRecordedSubmit);
    const rejections =
      rejected.length === 0
        ? []
        : await this.persist(gateway, () => this.reports.store(gateway, rejected.map(toRejection)));
    const moves = await this.persist(gateway, () => this.channel.record(gateway, submits));
    this.reports.enqueue(lane, [...rejections, ...moves]);
  }

  /** Writes until the database takes it. @throws an error that is no outage: a repeat would meet it again */
  private async persist<R>(gateway: string, write: () => Promise<R>): Promise<R> {
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
