import type { Carriers } from '@signalbox/database/ops/carriers';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import type { WebhookClient } from '@signalbox/gateways/webhook-client';
import type { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';
import type { Turn } from './endpoint-lane.ts';
import type { Endpoints } from './endpoints.ts';
import { type FirstPush, type PushWork, signedCall } from './push-call.ts';
import { type Called, UNRENDERABLE, ended, waiting } from './push-outcome.ts';
import type { PushResults } from './push-results.ts';

/**
 * A call that takes longer leaves its job: it goes on, and its outcome is written when it is known. A call to an end point that
 * is unwell leaves at once.
 */
export const HAND_OFF_MS = 1_000;

/** A push in flight is left alone for so long: more than a call may take, with its wait for a place. */
export const PUSH_LEASE_MS = 20_000;

const pushes = new Counter({
  name: 'signalbox_pushes_total',
  help: 'Webhook calls by outcome',
  labelNames: ['outcome'],
});
const delivered = pushes.labels('delivered');
const failed = pushes.labels('failed');
const seconds = new Histogram({
  name: 'signalbox_push_seconds',
  help: 'How long webhook calls took, by outcome',
  labelNames: ['outcome'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const deliveredSeconds = seconds.labels('delivered');
const failedSeconds = seconds.labels('failed');

/** Makes webhook calls, each in the lane of its end point, and never lets a slow one hold up a job. */
export class Pusher {
  private readonly late = new Set<Promise<unknown>>();

  constructor(
    private readonly endpoints: Endpoints,
    private readonly client: WebhookClient,
    private readonly results: PushResults,
    private readonly operators: Carriers,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the first pushes of one report, or puts them off, and writes down how they went.
   *
   * @param settles the report that is settled by this
   * @param handOff resolves when the job has waited long enough
   */
  async first(works: FirstPush[], settles: string, handOff: Promise<void>): Promise<void> {
    const outcomes = await Promise.all(works.map((work) => this.inTurn(work, handOff)));
    await this.results.record({ settles, outcomes });
  }

  /** Makes a later try of a push that is claimed, and writes down how it went. */
  async later(work: PushWork): Promise<void> {
    await this.finish(this.held(work) ?? this.inLane('later', work));
  }

  /** Resolves when calls that left their jobs are over and written down. */
  async close(): Promise<void> {
    while (this.late.size > 0) await Promise.all(this.late);
    await this.client.close();
  }

  /** Its first try, once the earlier statuses of its message are told, if that is within the job's time. */
  private async inTurn(work: FirstPush, handOff: Promise<void>): Promise<PushOutcome> {
    const before = work.after.length === 0 ? [] : await Promise.race([Promise.all(work.after), handOff]);
    if (!before?.every(({ status }) => status !== 'WAITING')) work.behindMs = 0;
    const outcome = await this.firstTry(work, handOff);
    work.outcome.resolve(outcome);
    return outcome;
  }

  private async firstTry(work: PushWork, handOff: Promise<void>): Promise<PushOutcome> {
    const held = this.held(work);
    if (held) return held;
    const { id, failures } = work.target;
    const lane = this.endpoints.laneOf(id, work.target).expect(failures);
    const patience = lane.isUnwell() ? nextTurn() : handOff;
    const outcome = this.inLane('first', work);
    const first = await Promise.race([outcome, patience]);
    if (first) return first;
    void this.finish(outcome);
    return waiting(work, work.attempts, PUSH_LEASE_MS, null, 'in_flight');
  }

  /** What becomes of a push that may not be called now; it is due, and waits for its end point. */
  private held(work: PushWork): PushOutcome | undefined {
    const { target, attempts, behindMs, isProbe } = work;
    if (target.disabledAt) return waiting(work, attempts, 0, null, 'webhook_disabled');
    if (behindMs !== null) return waiting(work, attempts, behindMs, null, 'behind');
    if (target.openLevel > 0 && !isProbe) return waiting(work, attempts, 0, null, 'breaker_open');
    return undefined;
  }

  private finish(outcome: PushOutcome | Promise<PushOutcome>): Promise<void> {
    const written = Promise.resolve(outcome)
      .then((late) => this.results.record({ settles: null, outcomes: [late] }))
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .then(() => void this.late.delete(written));
    this.late.add(written);
    return written;
  }

  private async inLane(turn: Turn, work: PushWork): Promise<PushOutcome> {
    const lane = this.endpoints.laneOf(work.target.id, work.target);
    const placed = await lane.run(turn, () => this.call(work));
    if (!placed.placed) return waiting(work, work.attempts, 0, null, 'put_off');
    return this.judge(work, placed.result);
  }

  /** A push that cannot even be rendered is a failed try, not a failed job: the others of its batch go on. */
  private async call(work: PushWork): Promise<Called> {
    try {
      work.report.operatorCircle ??= this.operators.nameOf(work.report.recipient);
      const call = signedCall(work, new Date());
      return Object.assign(
        await this.client.send({
          ...call,
          owner: { accountId: work.report.accountId, webhookId: work.target.id },
        }),
        {
          requestHeaders: call.headers,
        },
      );
    } catch (error) {
      this.logger.error(
        { webhookId: work.target.id, reportId: work.report.reportId, error },
        'webhook.unrenderable',
      );
      return UNRENDERABLE;
    }
  }

  private async judge(work: PushWork, called: Called): Promise<PushOutcome> {
    const attempts = work.attempts + 1;
    this.tell(work, called, attempts);
    await this.endpoints.note(work.target, called, work.isProbe);
    if (called.ok) return ended(work, 'DELIVERED', attempts, called, null);
    const made = attempts - work.attemptsBefore;
    const delayMs = called.gone
      ? undefined
      : nextPushDelayMs(made, Math.random(), called.retryAfterSeconds, work.target.schedule);
    if (delayMs === undefined) return ended(work, 'EXHAUSTED', attempts, called, called.error);
    return waiting(work, attempts, delayMs, called, called.error);
  }

  private tell(
    { report, target }: PushWork,
    { ok, status, error, durationMs }: Called,
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

/** Time enough for what is decided without a call. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
