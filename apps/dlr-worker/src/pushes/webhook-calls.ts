import { Injectable } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { observePush } from '@signalbox/messaging/telemetry/message-metrics';
import { tracePush } from '@signalbox/messaging/telemetry/message-traces';
import { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';
import { Endpoints } from '../endpoints/endpoints.ts';
import type { OpenTarget } from './open-target.ts';
import type { PendingPush } from './pending-push.ts';
import { type CallResult, finalOutcome, waitingOutcome } from './push-outcome.ts';
import { type SignedCall, newestOf, signedCall } from './signed-call.ts';

const counter = new Counter({
  name: 'signalbox_pushes_total',
  help: 'Webhook calls by outcome',
  labelNames: ['outcome'],
});
const delivered = counter.labels('delivered');
const failed = counter.labels('failed');
const seconds = new Histogram({
  name: 'signalbox_push_seconds',
  help: 'Duration of webhook calls, by outcome',
  labelNames: ['outcome'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const deliveredSeconds = seconds.labels('delivered');
const failedSeconds = seconds.labels('failed');

/** Makes webhook calls, and decides on the outcome of each push by the result of its call. */
@Injectable()
export class WebhookCalls {
  private readonly carrierOf = (recipient: string): string | null => this.carriers.nameOf(recipient);

  constructor(
    private readonly endpoints: Endpoints,
    private readonly client: WebhookClient,
    private readonly carriers: Carriers,
    private readonly logger: Logger,
  ) {}

  /**
   * Starts a call with the first of some pushes of a webhook, as many as fit into one. A push that cannot be rendered
   * is a failed attempt and not a failed job, so the rest of the batch proceeds.
   *
   * @returns their number; 0 when one of them cannot be rendered
   */
  make(pushes: PendingPush[], onResult: (result: PushResult, call: SignedCall) => void): number {
    try {
      const { call, count } = signedCall(pushes, Date.now(), this.carrierOf);
      this.client.run(call, (result) => onResult(result, call));
      return count;
    } catch (error) {
      const { report, target } = pushes[0]!;
      if (pushes.length === 1)
        this.logger.error({ webhookId: target.id, reportId: report.reportId, error }, 'webhook.unrenderable');
      return 0;
    }
  }

  /**
   * Counts a call for the health of its endpoint, logs its pushes, and decides on the next try of each.
   *
   * @returns the outcome of each push, or its promise for an outcome that needs the database
   */
  finish(pushes: PendingPush[], call: CallResult): (PushOutcome | Promise<PushOutcome>)[] {
    const target = newestOf(pushes);
    const isProbe = pushes.some((push) => push.isProbe);
    this.endpoints.record(target, call.ok, isProbe);
    countCall(call);
    const chance = Math.random();
    const disabled = call.gone ? this.disable(pushes, target) : undefined;
    return pushes.map((push) => {
      const attempts = push.attempts + 1;
      this.log(push, call, attempts);
      return disabled
        ? disabled.then((gone) => outcomeAfter(push, { ...call, gone }, attempts, chance))
        : outcomeAfter(push, call, attempts, chance);
    });
  }

  /** Refuses further calls, and resolves when those in flight have ended. */
  close(): Promise<void> {
    return this.client.close();
  }

  /**
   * Disables the webhook of an endpoint that is gone. Other pushes with the same copies of the webhook stop now.
   *
   * @returns false when the webhook has another address by now, where its pushes are tried again
   */
  private disable(pushes: readonly PendingPush[], called: OpenTarget): Promise<boolean> {
    for (const { target } of pushes) target.disabledAt ??= new Date();
    return this.endpoints.disableGone(called);
  }

  private log(
    { report, target }: PendingPush,
    { ok, status, error, durationMs }: CallResult,
    attempt: number,
  ): void {
    const outcome = ok ? 'delivered' : 'failed';
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
        durationMs: Math.round(durationMs * 10) / 10,
      },
      'webhook.pushed',
    );
  }
}

function countCall({ ok, durationMs }: CallResult): void {
  (ok ? delivered : failed).inc();
  (ok ? deliveredSeconds : failedSeconds).observe(durationMs / 1000);
}

/** @param chance a random number from 0 to 1, the same for all pushes of a call: they are tried again together */
function outcomeAfter(push: PendingPush, call: CallResult, attempts: number, chance: number): PushOutcome {
  if (call.ok) return finalOutcome(push, 'DELIVERED', attempts, call, null);
  if (call.gone) return finalOutcome(push, 'EXHAUSTED', attempts, call, call.error);
  const made = attempts - push.attemptsBefore;
  const delayMs = nextPushDelayMs(made, chance, call.retryAfterSeconds, push.target.schedule);
  if (delayMs === undefined) return finalOutcome(push, 'EXHAUSTED', attempts, call, call.error);
  return waitingOutcome(push, attempts, delayMs, call, call.error);
}
