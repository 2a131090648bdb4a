import { GroupCommit } from '@signalbox/runtime/group-commit';
import { withTimeout } from '@signalbox/runtime/with-timeout';

/** One row of a job, with the share of the job that it takes up. */
interface Row {
  id: string;
  weight: number;
}

export interface JobBatcherOptions {
  /** Adds one job that names these rows. */
  add: (ids: string[]) => Promise<unknown>;
  /** Maximum weight of one job. */
  maxWeight: number;
  /** Milliseconds after which an add counts as failed; 500 by default. */
  timeoutMs?: number;
  /** Called once for each job that could not be added. */
  onFailed: (error: unknown, ids: string[]) => void;
}

/** Delay between two jobs: rows enqueued meanwhile share the next job. A lone row is enqueued immediately. */
const GAP_MS = 10;

/** Rows beyond this weight are dropped and left to the rescue duty, so that a queue that hangs costs no memory. */
const MAX_WAITING = 100_000;

/**
 * Collects row ids into jobs. Nobody waits for a job and a failed add fails no caller: rows are committed before their
 * job is enqueued, and the rescue duty re-enqueues rows whose job was lost.
 */
export class JobBatcher {
  private readonly rows: GroupCommit<Row, void>;

  constructor(private readonly options: JobBatcherOptions) {
    this.rows = new GroupCommit((rows) => this.flush(rows), {
      maxBatch: options.maxWeight,
      maxWaiting: MAX_WAITING,
      weigh: (row) => row.weight,
    });
  }

  /** Adds rows to the next job. Each row takes up `weight` of a job's maximum. */
  enqueue(ids: readonly string[], weight = 1): void {
    for (const id of ids)
      this.rows.add({ id, weight }).catch((error: unknown) => this.options.onFailed(error, [id]));
  }

  /** Resolves when every row enqueued before is in a job, or its add has failed. */
  close(): Promise<void> {
    return this.rows.close();
  }

  /** Swallows errors of the add, so that a failed job is reported once and not once per row. */
  private async flush(rows: Row[]): Promise<void[]> {
    const ids = rows.map((row) => row.id);
    try {
      await withTimeout(this.options.add(ids), this.options.timeoutMs ?? 500, 'the queue');
    } catch (error) {
      this.options.onFailed(error, ids);
    }
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    return rows.map(() => undefined);
  }
}
