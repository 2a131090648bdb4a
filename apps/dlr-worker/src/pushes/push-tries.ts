import { Injectable } from '@nestjs/common';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { Logger } from '@signalbox/runtime/logger';
import type { EndpointLane, TryKind } from '../endpoints/endpoint-lane.ts';
import { Endpoints } from '../endpoints/endpoints.ts';
import { WebhookCalls } from './webhook-calls.ts';
import type { HandOffTimer } from './hand-off-timer.ts';
import type { PendingPush } from './pending-push.ts';
import { PushBatches } from './push-batches.ts';
import { PushCall } from './push-call.ts';
import { waitingOutcome } from './push-outcome.ts';
import { PushResults } from './push-results.ts';
import { PushTry, type TryEnd } from './push-try.ts';

/** Lease of a push in flight. It exceeds the longest call with its wait for a slot. */
export const PUSH_LEASE_MS = 20_000;

/**
 * Makes tries of pushes in the lanes of their endpoints. The outcome of a try goes to its job, or is recorded here when
 * no job waits for it.
 */
@Injectable()
export class PushTries {
  /** Work that no job waits for, until its outcomes are recorded. */
  private readonly withoutJob = new Set<Promise<unknown>>();
  private readonly batches = new PushBatches((kind, tries) => this.callBatch(kind, tries));

  constructor(
    private readonly endpoints: Endpoints,
    private readonly calls: WebhookCalls,
    private readonly results: PushResults,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the first try of a push, in a batch if the webhook takes them, and hands it off unless it ends in time. One at
   * an unhealthy endpoint does not wait for a batch, and is handed off immediately.
   */
  makeFirst(push: PendingPush, timer: HandOffTimer, end: TryEnd): void {
    const notNow = postponed(push);
    if (notNow) return end.resolve(notNow);
    const lane = this.laneOf(push).startFrom(push.target.failures);
    const isUnhealthy = lane.isUnhealthy();
    const pushTry = new PushTry(push, end);
    this.begin('first', pushTry, isUnhealthy, lane);
    if (pushTry.hasEnded) return;
    if (isUnhealthy) setImmediate(() => pushTry.hasEnded || void this.handOff(pushTry));
    else timer.watch(pushTry);
  }

  /** Makes a later try of a claimed push, in a batch unless it is a probe, and records its outcome. */
  async makeLater(push: PendingPush): Promise<void> {
    const notNow = postponed(push);
    if (notNow) return this.record(Promise.resolve(notNow));
    const outcome = Promise.withResolvers<PushOutcome>();
    this.begin('later', new PushTry(push, outcome), push.isProbe);
    await this.record(outcome.promise);
  }

  /** Closes the batches of later tries, once all due ones were started. */
  closeLaterBatches(): void {
    this.batches.closeLaterBatches();
  }

  /**
   * Returns a try to its job as in flight, and records its outcome later. Resolves when that is recorded, or has failed.
   */
  handOff(pushTry: PushTry): Promise<void> {
    const { push } = pushTry;
    const outcome = Promise.withResolvers<PushOutcome>();
    const jobsEnd = pushTry.redirect(outcome);
    const recorded = this.record(outcome.promise);
    jobsEnd.resolve(waitingOutcome(push, push.attempts, PUSH_LEASE_MS, null, 'in_flight'));
    return recorded;
  }

  /**
   * Lets work finish that no job waits for. Never rejects: a failure is logged, and then the push is due again, or its
   * report is rescued.
   */
  finishWithoutJob(work: Promise<unknown>): Promise<void> {
    const finished = work
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .then(() => void this.withoutJob.delete(finished));
    this.withoutJob.add(finished);
    return finished;
  }

  /** Returns the lane of a push. */
  laneOf({ target }: PendingPush): EndpointLane {
    return this.endpoints.laneOf(target.id, target);
  }

  /** Resolves when the work that no job waits for has finished. */
  async close(): Promise<void> {
    while (this.withoutJob.size > 0) await Promise.all(this.withoutJob);
    await this.calls.close();
  }

  /** Starts a try, in a batch if the webhook takes them and the try is not urgent. */
  private begin(kind: TryKind, pushTry: PushTry, isUrgent: boolean, lane?: EndpointLane): void {
    const { batch } = pushTry.push.target;
    if (batch && !isUrgent) this.batches.add(kind, pushTry, batch);
    else this.callOf(kind, [pushTry], lane).begin();
  }

  /** Calls a batch without the tries that may no longer be made since it was opened. */
  private callBatch(kind: TryKind, tries: PushTry[]): void {
    const ready = tries.filter((pushTry) => {
      const notNow = postponed(pushTry.push);
      if (notNow) pushTry.end(notNow);
      return !notNow;
    });
    if (ready.length > 0) this.callOf(kind, ready).begin();
  }

  /** Uses the limits in the last try's copy of the webhook, unless its lane is given. */
  private callOf(kind: TryKind, tries: PushTry[], lane = this.laneOf(tries.at(-1)!.push)): PushCall {
    return new PushCall(this.calls, lane, kind, tries);
  }

  private record(outcome: Promise<PushOutcome>): Promise<void> {
    const recorded = outcome.then((known) => this.results.record({ settles: null, outcomes: [known] }));
    return this.finishWithoutJob(recorded);
  }
}

/** Returns the outcome of a push that may not be called now, which stays due; undefined when it may. */
function postponed(push: PendingPush): PushOutcome | undefined {
  const { target, attempts, behindMs, isProbe } = push;
  if (target.disabledAt) return waitingOutcome(push, attempts, 0, null, 'webhook_disabled');
  if (behindMs !== null) return waitingOutcome(push, attempts, behindMs, null, 'behind');
  if (target.openLevel > 0 && !isProbe) return waitingOutcome(push, attempts, 0, null, 'breaker_open');
  return undefined;
}
