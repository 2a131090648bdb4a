import { Injectable } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { observePush } from '@signalbox/messaging/message-metrics';
import { tracePush } from '@signalbox/messaging/message-traces';
import { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';
import type { EndpointLane } from './endpoint-lane.ts';
import { Endpoints } from './endpoints.ts';
import { HandOff } from './hand-off.ts';
import { type FirstPush, type PendingPush, type SignedCall, setOutcome, signedCall } from './pending-push.ts';
import { type CallResult, ended, waiting } from './push-outcome.ts';
import type { PushSlice } from './push-plan.ts';
import { PushResults } from './push-results.ts';
import { PushTry, type TryEnd, type TryMaker } from './push-try.ts';

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
export class Pusher implements TryMaker {
  /** Calls without a job whose outcome is not recorded yet. */
  private readonly late = new Set<Promise<unknown>>();
  private readonly carrierOf = (recipient: string): string | null => this.carriers.nameOf(recipient);

  constructor(
    private readonly endpoints: Endpoints,
    private readonly client: WebhookClient,
    private readonly results: PushResults,
    private readonly carriers: Carriers,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the first tries of all pushes of a slice, or postpones them, and settles each report with the outcomes of its
   * pushes. Resolves when they are recorded, after a second at the latest: slower calls continue without their job.
   */
  async first({ reports, byReport }: PushSlice): Promise<void> {
    const handOff = new HandOff((attempt) => this.leave(attempt));
    try {
      await Promise.all(
        reports.map(({ reportId }) => this.firstOf(reportId, byReport.get(reportId) ?? [], handOff)),
      );
    } finally {
      handOff.cancel();
    }
  }

  /** Makes a later try of a claimed push, and records its outcome. */
  async later(push: PendingPush): Promise<void> {
    const notNow = postponed(push);
    if (notNow) return this.finish(Promise.resolve(notNow));
    const outcome = Promise.withResolvers<PushOutcome>();
    new PushTry(this, push, this.laneOf(push), outcome).begin('later');
    await this.finish(outcome.promise);
  }

  /** Resolves when calls that left their jobs have ended and are recorded. */
  async close(): Promise<void> {
    while (this.late.size > 0) await Promise.all(this.late);
    await this.client.close();
  }

  /**
   * Starts the call of a push. A push that cannot be rendered is a failed attempt and not a failed job, so the rest of
   * the batch proceeds.
   */
  call(push: PendingPush, onResult: (result: PushResult, call: SignedCall) => void): boolean {
    try {
      const call = signedCall(push, Date.now(), this.carrierOf);
      this.client.run(call, (result) => onResult(result, call));
      return true;
    } catch (error) {
      const { report, target } = push;
      this.logger.error({ webhookId: target.id, reportId: report.reportId, error }, 'webhook.unrenderable');
      return false;
    }
  }

  /** Logs a call, counts it for the health of its endpoint, and decides on the next try. */
  judge(push: PendingPush, call: CallResult): PushOutcome | Promise<PushOutcome> {
    const attempts = push.attempts + 1;
    this.log(push, call, attempts);
    this.endpoints.record(push.target, call.ok, push.isProbe);
    if (call.ok) return ended(push, 'DELIVERED', attempts, call, null);
    if (call.gone) {
      const outcome = ended(push, 'EXHAUSTED', attempts, call, call.error);
      push.target.disabledAt ??= new Date(); // pushes that share the reading stop now
      return this.endpoints.disableGone(push.target).then(() => outcome);
    }
    const made = attempts - push.attemptsBefore;
    const delayMs = nextPushDelayMs(made, Math.random(), call.retryAfterSeconds, push.target.schedule);
    if (delayMs === undefined) return ended(push, 'EXHAUSTED', attempts, call, call.error);
    return waiting(push, attempts, delayMs, call, call.error);
  }

  /** Makes the first tries of a report's pushes, and settles the report with their outcomes. */
  private firstOf(settles: string, pushes: FirstPush[], handOff: HandOff): Promise<undefined> {
    if (pushes.length === 0) return this.results.record({ settles, outcomes: [] });
    return new Promise((resolve, reject) => {
      const outcomes: PushOutcome[] = [];
      const end = (outcome: PushOutcome): void => {
        outcomes.push(outcome);
        if (outcomes.length === pushes.length)
          this.results.record({ settles, outcomes }).then(resolve, reject);
      };
      for (const push of pushes) this.inOrder(push, handOff, { resolve: end, reject });
    });
  }

  /**
   * Makes a first try after the earlier pushes of its message. Postpones it unless all of them have ended by the
   * hand-off.
   */
  private inOrder(push: FirstPush, handOff: HandOff, { resolve, reject }: TryEnd): void {
    const end: TryEnd = {
      resolve: (outcome) => {
        setOutcome(push, outcome);
        resolve(outcome);
      },
      reject,
    };
    if (push.after.length === 0) return this.firstTry(push, handOff, end);
    Promise.race([Promise.all(push.after), handOff.passed])
      .then((earlier) => {
        const isBehind = !earlier?.every(({ status }) => status !== 'WAITING');
        this.firstTry(isBehind ? { ...push, behindMs: 0 } : push, handOff, end);
      })
      .catch(reject);
  }

  private firstTry(push: PendingPush, handOff: HandOff, end: TryEnd): void {
    const notNow = postponed(push);
    if (notNow) return end.resolve(notNow);
    const lane = this.laneOf(push).startFrom(push.target.failures);
    const isUnhealthy = lane.isUnhealthy();
    const attempt = new PushTry(this, push, lane, end);
    attempt.begin('first');
    if (attempt.hasEnded) return;
    if (isUnhealthy) setImmediate(() => this.leave(attempt));
    else handOff.watch(attempt);
  }

  /** Ends a try for its job, and records its outcome when it comes. */
  private leave(attempt: PushTry): void {
    if (attempt.hasEnded) return;
    const { push } = attempt;
    const late = Promise.withResolvers<PushOutcome>();
    const end = attempt.redirect(late);
    void this.finish(late.promise);
    end.resolve(waiting(push, push.attempts, PUSH_LEASE_MS, null, 'in_flight'));
  }

  private laneOf({ target }: PendingPush): EndpointLane {
    return this.endpoints.laneOf(target.id, target);
  }

  private finish(outcome: Promise<PushOutcome>): Promise<void> {
    const written = outcome
      .then((late) => this.results.record({ settles: null, outcomes: [late] }))
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .then(() => void this.late.delete(written));
    this.late.add(written);
    return written;
  }

  private log(
    { report, target }: PendingPush,
    { ok, status, error, durationMs }: CallResult,
    attempt: number,
  ): void {
    const outcome = ok ? 'delivered' : 'failed';
    (ok ? delivered : failed).inc();
    (ok ? deliveredSeconds : failedSeconds).observe(durationMs / 1000);
    if (ok) observePush(report.reportId);
    tracePush(report, { webhookId: target.id, attempt, status, error, durationMs });
    if (!this.logger.isLevelEnabled('info')) return;
    const { accountId, reportId, submissionId, n } = report;
    this.logger.routine(
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
