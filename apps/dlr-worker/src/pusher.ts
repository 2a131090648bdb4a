import { type PushOutcome, disableWebhook } from '@signalbox/database/pushes';
import { nextPushDelayMs } from '@signalbox/domain/backoff';
import type { PushResult, WebhookClient } from '@signalbox/gateways/webhook-client';
import type { Logger } from '@signalbox/runtime/logger';
import { Counter } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { EndpointLane } from './endpoint-lane.ts';
import { type PushWork, signedCall } from './push-call.ts';
import type { PushResults } from './push-results.ts';

/**
 * A call that takes longer leaves its job: it goes on, and its outcome is written when it is known. A call to an end point that
 * is unwell leaves at once.
 */
export const HAND_OFF_MS = 1_000;

/** A push in flight is left alone for so long: more than a call may take. */
export const PUSH_LEASE_MS = 20_000;

/** How much of a failed call's answer is kept. */
const KEPT_ANSWER_LENGTH = 1_024;

const pushes = new Counter({ name: 'signalbox_pushes_total', help: 'Webhook calls by outcome', labelNames: ['outcome'] });
const delivered = pushes.labels('delivered');
const failed = pushes.labels('failed');

/** Makes webhook calls, each in the lane of its end point, and never lets a slow one hold up a job. */
export class Pusher {
  private readonly lanes = new Map<string, EndpointLane>();
  private readonly late = new Set<Promise<unknown>>();

  constructor(
    private readonly db: EntityManager,
    private readonly client: WebhookClient,
    private readonly results: PushResults,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the pushes of one report, or puts them off, and writes down how they went.
   *
   * @param settles the report that is settled by this, for first tries
   * @param handOff resolves when the job has waited long enough
   */
  async push(works: PushWork[], settles: string | null, handOff: Promise<void>): Promise<void> {
    const outcomes = await Promise.all(works.map((work) => this.pushOne(work, handOff)));
    await this.results.record({ settles, outcomes });
  }

  /** Resolves when calls that left their jobs are over and written down. */
  async close(): Promise<void> {
    await Promise.all(this.late);
    await this.client.close();
  }

  private async pushOne(work: PushWork, handOff: Promise<void>): Promise<PushOutcome> {
    if (work.target.disabledAt) return ended(work, 'EXHAUSTED', work.attempts, null, 'webhook_disabled');
    const lane = this.laneOf(work.target.id);
    const patience = lane.isUnwell() ? nextTurn() : handOff;
    const outcome = this.inLane(lane, work);
    const first = await Promise.race([outcome, patience]);
    if (first) return first;
    this.finishLater(outcome);
    return waiting(work, work.attempts, PUSH_LEASE_MS, null, 'in_flight');
  }

  private finishLater(outcome: Promise<PushOutcome>): void {
    const written = outcome
      .then((late) => this.results.record({ settles: null, outcomes: [late] }))
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .finally(() => this.late.delete(written));
    this.late.add(written);
  }

  private async inLane(lane: EndpointLane, work: PushWork): Promise<PushOutcome> {
    const placed = await lane.run(work.target.maxInFlight, () => this.call(work));
    if (!placed.placed) return waiting(work, work.attempts, lane.putOffMs(work.target.maxInFlight), null, 'put_off');
    return this.judge(work, placed.result);
  }

  private laneOf(webhookId: string): EndpointLane {
    let lane = this.lanes.get(webhookId);
    if (!lane) this.lanes.set(webhookId, (lane = new EndpointLane()));
    return lane;
  }

  /** A push that cannot even be rendered is a failed try, not a failed job: the others of its batch go on. */
  private async call(work: PushWork): Promise<Called> {
    try {
      return await this.client.send(signedCall(work, new Date()));
    } catch (error) {
      this.logger.error({ webhookId: work.target.id, reportId: work.report.reportId, error }, 'webhook.unrenderable');
      return { ok: false, status: null, error: 'unrenderable', gone: false, durationMs: 0, answer: '' };
    }
  }

  private async judge(work: PushWork, result: Called): Promise<PushOutcome> {
    const attempts = work.attempts + 1;
    const delayMs = result.ok || result.gone ? undefined : nextPushDelayMs(attempts, Math.random(), result.retryAfterSeconds);
    this.tell(work, result, attempts);
    if (result.ok) return ended(work, 'DELIVERED', attempts, result, null);
    if (result.gone) await disableWebhook(this.db, work.target.id, 'the end point answered 410 Gone');
    if (delayMs === undefined) return ended(work, 'EXHAUSTED', attempts, result, result.error);
    return waiting(work, attempts, delayMs, result, result.error);
  }

  private tell({ report, target }: PushWork, { ok, status, error, durationMs }: Called, attempt: number): void {
    const outcome = ok ? 'delivered' : 'failed';
    (ok ? delivered : failed).inc();
    if (!this.logger.isLevelEnabled('info')) return;
    const { accountId, reportId, submissionId, n } = report;
    this.logger.info(
      { accountId, webhookId: target.id, reportId, submissionId, n, attempt, outcome, status, errCode: error, durationMs },
      'webhook.pushed',
    );
  }
}

/** Time enough for what is decided without a call. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How a call went; a push that could not even be rendered was a call of a kind. */
type Called = Omit<PushResult, 'error' | 'timings'> & { error: string | null; timings?: PushResult['timings'] };

type Tried = Called | null;

function ended(work: PushWork, status: 'DELIVERED' | 'EXHAUSTED', attempts: number, tried: Tried, error: string | null): PushOutcome {
  return { ...outcomeOf(work, attempts, tried, error), status, nextDelayMs: null };
}

function waiting(work: PushWork, attempts: number, delayMs: number, tried: Tried, error: string | null): PushOutcome {
  return { ...outcomeOf(work, attempts, tried, error), status: 'WAITING', nextDelayMs: Math.round(delayMs) };
}

function outcomeOf(
  { report, target }: PushWork,
  attempts: number,
  tried: Tried,
  error: string | null,
): Omit<PushOutcome, 'status' | 'nextDelayMs'> {
  return {
    reportId: report.reportId,
    webhookId: target.id,
    accountId: report.accountId,
    attempts,
    responseStatus: tried?.status ?? null,
    error,
    durationMs: tried ? Math.round(tried.durationMs) : null,
    answer: tried?.answer.slice(0, KEPT_ANSWER_LENGTH).replaceAll('\u0000', '') ?? '', // Postgres takes no U+0000
    failedAttempt: tried !== null && !tried.ok,
  };
}
