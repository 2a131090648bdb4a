import { GroupCommit } from './group-commit.ts';

/** One row to ring for, with the share of a job it takes up. */
interface Ring {
  id: string;
  weight: number;
}

export interface BellOptions {
  /** Enqueues one job that names these rows. */
  enqueue: (ids: string[]) => Promise<unknown>;
  /** The most weight one job carries. */
  maxBatch: number;
  /** An enqueue that takes longer counts as failed: its rows are safe, and the rescuer rings for them. */
  timeoutMs?: number;
  /** Told of each failed ring, for a log line and a counter. */
  onLost: (error: unknown, ids: string[]) => void;
  /** Closes the queue, after the last ring. */
  close?: () => Promise<unknown>;
}

/** A bell that has just rung waits so long for more: a job costs much, a moment in a busy queue nothing. A lone ring is not held up. */
const GAP_MS = 10;

/** Beyond so much unrung weight, rings are dropped and left to the rescuer, so that a queue that hangs costs no memory. */
const MAX_WAITING = 100_000;

/**
 * Tells a queue that rows are waiting. Nobody waits for the bell and it never fails anybody: the rows are committed
 * before it rings, and a rescuer rings for those whose ring was lost (design, section 1).
 */
export class Bell {
  private readonly rings: GroupCommit<Ring, void>;

  constructor(private readonly options: BellOptions) {
    this.rings = new GroupCommit((rings) => this.flush(rings), {
      maxBatch: options.maxBatch,
      maxWaiting: MAX_WAITING,
      weigh: (ring) => ring.weight,
    });
  }

  /** Rings for rows; those of calls made while an enqueue is in flight share one job. */
  ring(ids: readonly string[], weight = 1): void {
    for (const id of ids)
      this.rings.add({ id, weight }).catch((error: unknown) => this.options.onLost(error, [id]));
  }

  /** Resolves when every ring made before is enqueued or lost. */
  async close(): Promise<void> {
    await this.rings.close();
    await this.options.close?.();
  }

  /** Its own failures end here, so that one lost job is told of once and not once per row. */
  private async flush(rings: Ring[]): Promise<void[]> {
    const ids = rings.map((ring) => ring.id);
    try {
      await withTimeout(this.options.enqueue(ids), this.options.timeoutMs ?? 500);
    } catch (error) {
      this.options.onLost(error, ids);
    }
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    return rings.map(() => undefined);
  }
}

async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the queue did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
