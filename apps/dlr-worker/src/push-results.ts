import { type PushKey, type PushOutcome, recordPushes } from '@signalbox/database/pushes';
import { closeProducer } from '@signalbox/queues/producer';
import { PUSH_RETRY_QUEUE, type PushRetryJob } from '@signalbox/queues/push-retry-queue';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

const MAX_BATCH = 500;
const MAX_WAITING = 100_000;

/** What became of pushes, and the report they settle, if any. */
export interface PushRecord {
  settles: string | null;
  outcomes: PushOutcome[];
}

/** Writes down how pushes went, many in one statement, and sees to it that those that wait come back. */
export class PushResults {
  private readonly commit: GroupCommit<PushRecord, undefined>;

  constructor(
    private readonly db: EntityManager,
    private readonly retries: Queue<PushRetryJob>,
    private readonly logger: Logger,
  ) {
    this.commit = new GroupCommit((records) => this.flush(records), { maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING });
  }

  /** Resolves when the record is written. @throws what the database threw: the job comes again, and pushes with the same id */
  record(record: PushRecord): Promise<undefined> {
    return this.commit.add(record);
  }

  async close(): Promise<void> {
    await this.commit.close();
    await closeProducer(this.retries);
  }

  private async flush(records: PushRecord[]): Promise<undefined[]> {
    const settled = records.flatMap(({ settles }) => settles ?? []);
    const outcomes = latestPerPush(records.flatMap((record) => record.outcomes));
    await recordPushes(this.db, settled, outcomes);
    for (const group of groupByDelay(outcomes)) this.scheduleRetry(group);
    return records.map(() => undefined);
  }

  /** Nobody waits for this job; if it is lost, the rescuer finds the rows. */
  private scheduleRetry({ delayMs, pushes }: RetryGroup): void {
    this.retries.add(PUSH_RETRY_QUEUE, { pushes }, { delay: delayMs }).catch((error: unknown) => {
      this.logger.warn({ queue: PUSH_RETRY_QUEUE, count: pushes.length, error }, 'bell.lost');
    });
  }
}

/**
 * A push handed off and finished within one flush has two outcomes: the later one counts. In the order of their keys, so that
 * two workers that write the same pushes wait for each other instead of both failing.
 */
function latestPerPush(outcomes: PushOutcome[]): PushOutcome[] {
  const latest = [...new Map(outcomes.map((outcome) => [`${outcome.reportId}_${outcome.webhookId}`, outcome])).values()];
  return latest.toSorted((a, b) => (a.reportId < b.reportId ? -1 : 1));
}

interface RetryGroup {
  delayMs: number;
  pushes: PushKey[];
}

const MAX_GROUP = 100;

/** Pushes that come back at about the same time share a job, which comes when the last of them is due. */
function groupByDelay(outcomes: PushOutcome[]): RetryGroup[] {
  const waiting = outcomes.flatMap(({ reportId, webhookId, nextDelayMs }) =>
    nextDelayMs === null ? [] : [{ reportId, webhookId, nextDelayMs }],
  );
  waiting.sort((a, b) => a.nextDelayMs - b.nextDelayMs);
  const groups: RetryGroup[] = [];
  let limitMs = -1;
  for (const { reportId, webhookId, nextDelayMs } of waiting) {
    const group = groups.at(-1);
    if (group && nextDelayMs <= limitMs && group.pushes.length < MAX_GROUP) {
      group.pushes.push({ reportId, webhookId });
      group.delayMs = nextDelayMs;
    } else {
      groups.push({ delayMs: nextDelayMs, pushes: [{ reportId, webhookId }] });
      limitMs = nextDelayMs * 1.05 + 250;
    }
  }
  return groups;
}
