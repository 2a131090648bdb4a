import { Injectable } from '@nestjs/common';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { Logger } from '@signalbox/runtime/logger';
import type { EndpointLane, TryKind } from '../endpoints/endpoint-lane.ts';
import { Endpoints } from '../endpoints/endpoints.ts';
import { Calls } from './calls.ts';
import type { HandOff } from './hand-off.ts';
import type { PendingPush } from './pending-push.ts';
import { PushBatches } from './push-batches.ts';
import { PushCall } from './push-call.ts';
import { waiting } from './push-outcome.ts';
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
  /** Work without a job whose outcome is not recorded yet. */
  private readonly late = new Set<Promise<unknown>>();
  private readonly batches = new PushBatches((kind, tries) => this.callBatch(kind, tries));

  constructor(
    private readonly endpoints: Endpoints,
    private readonly calls: Calls,
    private readonly results: PushResults,
    private readonly logger: Logger,
  ) {}

  /** Makes the first try of a push, which is handed off unless it ends in time. */
  first(push: PendingPush, handOff: HandOff, end: TryEnd): void {
    const notNow = postponed(push);
    if (notNow) return end.resolve(notNow);
    const isUnhealthy = this.laneOf(push).startFrom(push.target.failures).isUnhealthy();
    const attempt = new PushTry(push, end);
    this.begin('first', attempt);
    if (attempt.hasEnded) return;
    if (isUnhealthy) setImmediate(() => this.handOff(attempt));
    else handOff.watch(attempt);
  }

  /** Makes a later try of a claimed push, and records its outcome. */
  async later(push: PendingPush): Promise<void> {
    const notNow = postponed(push);
    if (notNow) return this.finish(Promise.resolve(notNow));
    const outcome = Promise.withResolvers<PushOutcome>();
    this.begin('later', new PushTry(push, outcome));
    await this.finish(outcome.promise);
  }

  /** Closes the batches of later tries, once all due ones were started. */
  closeLaterBatches(): void {
    this.batches.closeLaterBatches();
  }

  /** Ends a try for its job, and records its outcome when it comes. */
  handOff(attempt: PushTry): void {
    if (attempt.hasEnded) return;
    const { push } = attempt;
    const late = Promise.withResolvers<PushOutcome>();
    const end = attempt.redirect(late);
    void this.finish(late.promise);
    end.resolve(waiting(push, push.attempts, PUSH_LEASE_MS, null, 'in_flight'));
  }

  /** Lets work end without a job. A failure is logged: the push is due again, or its report is rescued. */
  keep(work: Promise<unknown>): Promise<void> {
    const kept = work
      .catch((error: unknown) => this.logger.warn({ error }, 'push.late_outcome_lost'))
      .then(() => void this.late.delete(kept));
    this.late.add(kept);
    return kept;
  }

  /** Returns the lane of a push. */
  laneOf({ target }: PendingPush): EndpointLane {
    return this.endpoints.laneOf(target.id, target);
  }

  /** Resolves when calls that left their jobs have ended and are recorded. */
  async close(): Promise<void> {
    while (this.late.size > 0) await Promise.all(this.late);
    await this.calls.close();
  }

  /**
   * Starts a try, in a batch if the webhook takes them. A probe, and a first try at an unhealthy endpoint, do not
   * wait for one.
   */
  private begin(kind: TryKind, attempt: PushTry): void {
    const { target, isProbe } = attempt.push;
    const isUrgent = isProbe || (kind === 'first' && this.laneOf(attempt.push).isUnhealthy());
    if (target.batch && !isUrgent) this.batches.add(kind, attempt, target.batch);
    else this.callOf(kind, [attempt]).begin();
  }

  /** Calls a batch without the tries that may no longer be made since it was opened. */
  private callBatch(kind: TryKind, tries: PushTry[]): void {
    const ready = tries.filter((attempt) => {
      const notNow = postponed(attempt.push);
      if (notNow) attempt.settle(notNow);
      return !notNow;
    });
    if (ready.length > 0) this.callOf(kind, ready).begin();
  }

  /** Uses the limits of the last try, which has the newest copy of the webhook. */
  private callOf(kind: TryKind, tries: PushTry[]): PushCall {
    return new PushCall(this.calls, this.laneOf(tries.at(-1)!.push), kind, tries);
  }

  private finish(outcome: Promise<PushOutcome>): Promise<void> {
    return this.keep(outcome.then((late) => this.results.record({ settles: null, outcomes: [late] })));
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
