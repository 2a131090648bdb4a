import { type PushOutcome, recordPushes } from '@signalbox/database/webhooks/pushes';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { EntityManager } from 'typeorm';

const MAX_BATCH = 500;
const MAX_WAITING = 100_000;

/** What became of pushes, and the report they settle, if any. */
export interface PushRecord {
  settles: string | null;
  outcomes: PushOutcome[];
}

/** Writes down how pushes went, many in one statement. */
export class PushResults {
  private readonly commit: GroupCommit<PushRecord, undefined>;

  constructor(private readonly db: EntityManager) {
    this.commit = new GroupCommit((records) => this.flush(records), {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
    });
  }

  /** Resolves when the record is written. @throws what the database threw: the job comes again, and pushes with the same id */
  record(record: PushRecord): Promise<undefined> {
    return this.commit.add(record);
  }

  close(): Promise<void> {
    return this.commit.close();
  }

  private async flush(records: PushRecord[]): Promise<undefined[]> {
    const settled = records.flatMap(({ settles }) => settles ?? []);
    const outcomes = latestPerPush(records.flatMap((record) => record.outcomes));
    await recordPushes(this.db, settled, outcomes);
    return records.map(() => undefined);
  }
}

/**
 * A push handed off and finished within one flush has two outcomes: the later one counts. In the order of their keys, so that
 * two workers that write the same pushes wait for each other instead of both failing.
 */
function latestPerPush(outcomes: PushOutcome[]): PushOutcome[] {
  const latest = [
    ...new Map(outcomes.map((outcome) => [`${outcome.reportId}_${outcome.webhookId}`, outcome])).values(),
  ];
  return latest.toSorted((a, b) => (a.reportId < b.reportId ? -1 : 1));
}
