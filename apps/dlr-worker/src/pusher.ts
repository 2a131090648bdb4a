import { Injectable } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';
import type { TryKind } from './endpoint-lane.ts';
import { Endpoints } from './endpoints.ts';
import { type FirstPush, type PendingPush, signedCall } from './pending-push.ts';
import { type CallResult, UNRENDERABLE, ended, waiting } from './push-outcome.ts';
import { PushResults } from './push-results.ts';

/**
 * Milliseconds that a job waits for its calls. A slower call is handed off: it continues without its job, and its
 * outcome is recorded when it ends. A call to an unhealthy endpoint is handed off immediately.
 */
export const HAND_OFF_MS = 1_000;

/** Lease of a push in flight. It exceeds the longest call with its wait for a slot. */
export const PUSH_LEASE_MS = 20_000;

const calls = new Counter({
  name: 'signalbox_pushes_total',
  help: 'Webhook calls by outcome',
  labelNames: ['outcome'],
});
const delivered = calls.labels('delivered');
const failed = calls.labels('failed');
const seconds = new Histogram({
  name: 'signalbox_push_seconds',
  help: 'Duration of webhook calls, by outcome',
  labelNames: ['outcome'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const deliveredSeconds = seconds.labels('delivered');
const failedSeconds = seconds.labels('failed');

/** Makes webhook calls in the lanes of their endpoints. A slow call never delays a job. */
@Injectable()
export class Pusher {
  /** Calls without a job whose outcome is not recorded yet. */
  private readonly late = new Set<Promise<unknown>>();

  constructor(
    private readonly endpoints: Endpoints,
    private readonly client: WebhookClient,
    private readonly results: PushResults,
    private readonly carriers: Carriers,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the first tries of a report's pushes, or postpones them, and records their outcomes.
   *
   * @param settles the report to settle with them
   * @param handOff resolves when the job should wait no longer
   */
  async first(pushes: FirstPush[], settles: string, handOff: Promise<void>): Promise<void> {
    const outcomes = await Promise.all(pushes.map((push) => this.inOrder(push, handOff)));
    await this.results.record({ settles, outcomes });
  }

  /** Makes a later try of a claimed push, and records its outcome. */
  async later(push: PendingPush): Promise<void> {
    await this.finish(postponed(push) ?? this.inLane('later', push));
  }

  /** Resolves when calls that left their jobs have ended and are recorded. */
  async close(): Promise<void> {
    while (this.late.size > 0) await Promise.all(this.late);
    await this.client.close();
  }

  /**
   * Makes a first try after the earlier pushes of its message. Postpones it unless all of them have ended by the
   * hand-off.
   */
  private async inOrder(push: FirstPush, handOff: Promise<void>): Promise<PushOutcome> {
    const earlier = push.after.length === 0 ? [] : await Promise.race([Promise.all(push.after), handOff]);
    const isBehind = !earlier?.every(({ status }) => status !== 'WAITING');
    const outcome = await this.firstTry(isBehind ? { ...push, behindMs: 0 } : push, handOff);
    push.outcome.resolve(outcome);
    return outcome;
  }

  private async firstTry(push: PendingPush, handOff: Promise<void>): Promise<PushOutcome> {
    const notNow = postponed(push);
    if (notNow) return notNow;
    const { id, failures } = push.target;
    const lane = this.endpoints.laneOf(id, push.target).startFrom(failures);
    const giveUp = lane.isUnhealthy() ? nextTick() : handOff;
    const outcome = this.inLane('first', push);
    const first = await Promise.race([outcome, giveUp]);
    if (first) return first;
    void this.finish(outcome);
    return waiting(push, push.attempts, PUSH_LEASE_MS, null, 'in_flight');
  }

  private finish(outcome: PushOutcome | Promise<PushOutcome>): Promise<void> {
    const written = Promise.resolve(outcome)
      .then((late) => this.results.record({ settles: null, outcomes: [late] }))
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .then(() => void this.late.delete(written));
    this.late.add(written);
    return written;
  }

  private async inLane(kind: TryKind, push: PendingPush): Promise<PushOutcome> {
    const lane = this.endpoints.laneOf(push.target.id, push.target);
    const result = await lane.run(kind, () => this.call(push));
    return result ? this.judge(push, result) : waiting(push, push.attempts, 0, null, 'put_off');
  }

  /**
   * Makes a call. A push that cannot be rendered is a failed attempt and not a failed job, so the rest of the batch
   * proceeds.
   */
  private async call({ report, target }: PendingPush): Promise<CallResult> {
    try {
      const call = signedCall({ report: this.withCarrier(report), target }, new Date());
      const owner = { accountId: report.accountId, webhookId: target.id };
      return Object.assign(await this.client.send({ ...call, owner }), { requestHeaders: call.headers });
    } catch (error) {
      this.logger.error({ webhookId: target.id, reportId: report.reportId, error }, 'webhook.unrenderable');
      return UNRENDERABLE;
    }
  }

  /** Names the carrier of the recipient where the gateway has not. */
  private withCarrier(report: AppliedReport): AppliedReport {
    if (report.operatorCircle !== null) return report;
    return { ...report, operatorCircle: this.carriers.nameOf(report.recipient) };
  }

  /** Logs a call, counts it for the health of its endpoint, and decides on the next try. */
  private async judge(push: PendingPush, call: CallResult): Promise<PushOutcome> {
    const attempts = push.attempts + 1;
    this.log(push, call, attempts);
    await this.endpoints.record(push.target, call, push.isProbe);
    if (call.ok) return ended(push, 'DELIVERED', attempts, call, null);
    const made = attempts - push.attemptsBefore;
    const delayMs = call.gone
      ? undefined
      : nextPushDelayMs(made, Math.random(), call.retryAfterSeconds, push.target.schedule);
    if (delayMs === undefined) return ended(push, 'EXHAUSTED', attempts, call, call.error);
    return waiting(push, attempts, delayMs, call, call.error);
  }

  private log(
    { report, target }: PendingPush,
    { ok, status, error, durationMs }: CallResult,
    attempt: number,
  ): void {
    const outcome = ok ? 'delivered' : 'failed';
    (ok ? delivered : failed).inc();
    (ok ? deliveredSeconds : failedSeconds).observe(durationMs / 1000);
    if (!this.logger.isLevelEnabled('info')) return;
    const { accountId, reportId, submissionId, n } = report;
    this.logger.info(
      {
        accountId,
        webhookId: target.id,
        reportId,
        submissionId,
        n,
        attempt,
        outcome,
        status,
        errCode: error,
        durationMs,
      },
      'webhook.pushed',
    );
  }
}

/** Returns the outcome of a push that may not be called now, which stays due; undefined when it may. */
function postponed(push: PendingPush): PushOutcome | undefined {
  const { target, attempts, behindMs, isProbe } = push;
  if (target.disabledAt) return waiting(push, attempts, 0, null, 'webhook_disabled');
  if (behindMs !== null) return waiting(push, attempts, behindMs, null, 'behind');
  if (target.openLevel > 0 && !isProbe) return waiting(push, attempts, 0, null, 'breaker_open');
  return undefined;
}

/** Resolves after the outcomes that need no call. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
