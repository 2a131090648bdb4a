import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type PushOutcome, recordPushes } from '@signalbox/database/webhooks/pushes';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { type FlushEnd, GroupCommit } from '@signalbox/runtime/group-commit';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { EntityManager } from 'typeorm';

/** Counted in outcomes. Those of one report, one for each webhook, are in one statement. */
const LIMITS = { maxBatch: 500, maxWaiting: 100_000 };

/** Milliseconds that outcomes wait for others to share their statement. Only the end of their jobs waits for them. */
const GAP_MS = 40;

/** Outcomes of pushes, and the report that they settle, if any. */
export interface PushRecord {
  settles: string | null;
  outcomes: PushOutcome[];
}

/** Records outcomes of pushes, many in one statement. */
@Injectable()
export class PushResults {
  private readonly commit: GroupCommit<PushRecord, undefined>;

  constructor(
    private readonly db: EntityManager,
    private readonly throttle: AccountThrottle,
  ) {
    this.commit = new GroupCommit((records) => this.flush(records), {
      name: 'record pushes',
      ...LIMITS,
      weigh: ({ outcomes }) => Math.max(1, outcomes.length),
      gapMs: GAP_MS,
      isItemFault: isRefusedValue,
    });
  }

  /**
   * Resolves when the record is written.
   *
   * @throws what the database threw: the job runs again and pushes under the same ids
   */
  record(record: PushRecord): Promise<undefined> {
    return this.commit.add(record);
  }

  /** As `record`, for callers to whom a promise for each record costs too much. */
  put(record: PushRecord, end: FlushEnd<undefined>): void {
    this.commit.put(record, end);
  }

  close(): Promise<void> {
    return this.commit.close();
  }

  private async flush(records: PushRecord[]): Promise<undefined[]> {
    const settled = records.flatMap(({ settles }) => settles ?? []);
    const outcomes = newestPerPush(records.flatMap((record) => record.outcomes));
    const startedAt = performance.now();
    await recordPushes(this.db, settled, outcomes);
    this.charge(outcomes, performance.now() - startedAt);
    return records.map(() => undefined);
  }

  /** Charges each account its part of the time, which delays its deferred reports. */
  private charge(outcomes: readonly PushOutcome[], tookMs: number): void {
    const counts = new Map<string, number>();
    for (const { accountId } of outcomes) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    for (const [accountId, count] of counts)
      this.throttle.charge(accountId, (tookMs * count) / outcomes.length);
  }
}

/**
 * Keeps the newest outcome of each push: that of a try that was handed off may come before its `in_flight`. Without a
 * hand-off a push has one outcome.
 */
function newestPerPush(outcomes: PushOutcome[]): PushOutcome[] {
  if (!outcomes.some(({ error }) => error === 'in_flight')) return outcomes;
  const newest = new Map<string, PushOutcome>();
  for (const outcome of outcomes) {
    const key = deliveryId(outcome.reportId, outcome.webhookId);
    const known = newest.get(key);
    if (!known || isNewer(outcome, known)) newest.set(key, outcome);
  }
  return [...newest.values()];
}

/** @param known the outcome that was recorded before */
function isNewer({ attempts, error }: PushOutcome, known: PushOutcome): boolean {
  return attempts > known.attempts || (attempts === known.attempts && error !== 'in_flight');
}
