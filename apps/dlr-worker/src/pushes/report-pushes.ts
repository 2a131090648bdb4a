import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { FlushEnd } from '@signalbox/runtime/group-commit';
import { type FirstPush, setOutcome } from './pending-push.ts';
import type { PushResults } from './push-results.ts';
import type { TryEnd } from './push-try.ts';

/** Waits until some reports are settled or have failed. A promise for each would cost more. */
export class Settlement implements FlushEnd<undefined> {
  private readonly end = Promise.withResolvers<undefined>();
  private failure: { error: unknown } | undefined;

  /** @param left the number of the reports, at least one */
  constructor(private left: number) {}

  /** Resolves when all have ended. @throws the first error, once all have ended */
  get done(): Promise<undefined> {
    return this.end.promise;
  }

  resolve(): void {
    this.left -= 1;
    if (this.left > 0) return;
    if (this.failure) this.end.reject(this.failure.error);
    else this.end.resolve(undefined);
  }

  reject(error: unknown): void {
    this.failure ??= { error };
    this.resolve();
  }
}

/** The first pushes of a report: settles it once each has an outcome. */
export class ReportPushes implements TryEnd {
  private readonly outcomes: PushOutcome[] = [];
  /** True once the settlement counts it. */
  private hasEnded = false;

  constructor(
    private readonly reportId: string,
    private readonly pushes: readonly FirstPush[],
    private readonly results: PushResults,
    private readonly settlement: Settlement,
  ) {}

  /** Takes the outcome of one of its pushes. */
  resolve(outcome: PushOutcome): void {
    const push = this.pushes.find(({ target }) => target.id === outcome.webhookId);
    if (push) setOutcome(push, outcome);
    this.outcomes.push(outcome);
    if (this.outcomes.length === this.pushes.length) this.settle();
  }

  /** Leaves the report unsettled. */
  reject(error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.settlement.reject(error);
  }

  /** Records the outcomes, and that the report needs nothing more. */
  settle(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.results.put({ settles: this.reportId, outcomes: this.outcomes }, this.settlement);
  }
}
