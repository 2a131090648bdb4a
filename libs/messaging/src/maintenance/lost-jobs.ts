import {
  type OldestJobAt,
  claimLostCallbacks,
  claimLostReports,
  claimLostReviews,
  claimLostVerifications,
} from '@signalbox/database/ops/rescue';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import {
  CALLBACK_QUEUE,
  OTP_QUEUE,
  REPORT_QUEUES,
  TEMPLATE_REVIEW_QUEUE,
  callbackWeight,
} from '@signalbox/queues/definitions';
import type { EntityManager } from 'typeorm';
import type { DutyContext, SimpleDuty } from './duty.ts';
import { oldestJobAt } from './oldest-job.ts';

/** Milliseconds between passes while the queue is reachable, and while it is not. */
const RESCUE_EVERY_MS = 3_000;
const RUN_EVERY_MS = 1_000;

/** Consecutive passes whose command to the queue failed, after which the queue counts as unreachable. */
const UNREACHABLE_AFTER = 2;

/** Maximum number of batches that run at the same time in place of jobs. */
const CONCURRENCY = 4;

/** A row whose job was lost, and its weight in the new job. */
interface LostRow {
  id: string;
  weight: number;
}

/** Rows of one kind that wait for a job. */
interface LostJobs {
  queue: QueueDefinition;
  /** Another queue with jobs of these rows. */
  also?: QueueDefinition;
  /** Claims rows without a job: those older than the oldest job of the queues. */
  claim: (db: EntityManager, oldestJobAt: OldestJobAt) => Promise<LostRow[]>;
  logEvent: string;
}

const LOST_JOBS = {
  reports: {
    queue: REPORT_QUEUES.OTHER,
    also: REPORT_QUEUES.BULK,
    claim: equalWeights((db, oldest) => claimLostReports(db, oldest, false)),
    logEvent: 'report.rescued',
  },
  'reports of codes': {
    queue: REPORT_QUEUES.OTP,
    claim: equalWeights((db, oldest) => claimLostReports(db, oldest, true)),
    logEvent: 'report.rescued',
  },
  verifications: {
    queue: OTP_QUEUE,
    claim: equalWeights(claimLostVerifications),
    logEvent: 'verification.rescued',
  },
  reviews: {
    queue: TEMPLATE_REVIEW_QUEUE,
    claim: equalWeights(claimLostReviews),
    logEvent: 'template.rescued',
  },
  callbacks: { queue: CALLBACK_QUEUE, claim: callbacksBySize, logEvent: 'callback.rescued' },
} satisfies Record<string, LostJobs>;

/** Does the work of one job, as its processor does; a repeat must be harmless. */
type RunJob = (ids: string[], context: DutyContext) => Promise<unknown>;

/**
 * Re-enqueues rows whose job was lost. An extra job is harmless. A queue that does not answer fails the first pass
 * before anything is claimed. From the second such pass in a row on, this process does the work of the waiting rows
 * itself, until the queue answers. It does none when the queue was paused at its last answer; a pause of the other queue
 * of its rows alone stops none of them, because a row does not say in which of the two its job was.
 */
export function rescue(kind: keyof typeof LOST_JOBS, runJob: RunJob): SimpleDuty {
  const { queue: definition, also, claim, logEvent }: LostJobs = LOST_JOBS[kind];
  let failures = 0;
  let nextAt = 0;
  let isPaused = false;
  const run = async (context: DutyContext): Promise<void> => {
    const { db, queues, logger } = context;
    if (performance.now() < nextAt) return;
    const queue = queues.get(definition);
    const all = also ? [queue, queues.get(also)] : [queue];
    const oldest = await oldestJobAt(...all).catch((error: unknown) => {
      failures += 1;
      if (failures < UNREACHABLE_AFTER) throw error;
      return null;
    });
    if (oldest) {
      [failures, nextAt] = [0, performance.now() + RESCUE_EVERY_MS - RUN_EVERY_MS];
      isPaused = await queue.admin.isPaused().catch(() => isPaused);
    } else if (isPaused) return;
    const lost = await claim(db, oldest);
    if (lost.length === 0) return;
    logger.warn({ count: lost.length, isQueueReachable: oldest !== null }, logEvent);
    if (oldest) for (const { id, weight } of lost) queue.enqueue([id], weight);
    else await runAll(batchesOf(lost, definition.maxWeight), (ids) => runJob(ids, context));
  };
  return { name: `rescue ${kind}`, everyMs: RUN_EVERY_MS, run };
}

/** Runs batches, some at the same time. @throws the first error, once every batch has run */
async function runAll(batches: string[][], work: (ids: string[]) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  const waiting = batches.values();
  const runSome = async (): Promise<void> => {
    for (const ids of waiting) await work(ids).catch((error: unknown) => void errors.push(error));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runSome));
  if (errors.length > 0) throw errors[0];
}

/** Groups rows into batches of at most `maxWeight`; a heavier row is alone. */
function batchesOf(rows: readonly LostRow[], maxWeight: number): string[][] {
  const batches: string[][] = [];
  let free = 0;
  for (const { id, weight } of rows) {
    if (weight > free) {
      batches.push([]);
      free = maxWeight;
    }
    batches.at(-1)?.push(id);
    free -= weight;
  }
  return batches;
}

function equalWeights(
  claim: (db: EntityManager, oldestJobAt: OldestJobAt) => Promise<string[]>,
): LostJobs['claim'] {
  return async (db, oldest) => (await claim(db, oldest)).map((id) => ({ id, weight: 1 }));
}

async function callbacksBySize(db: EntityManager, oldest: OldestJobAt): Promise<LostRow[]> {
  const lost = await claimLostCallbacks(db, oldest);
  return lost.map(({ id, sizeBytes }) => ({ id, weight: callbackWeight(sizeBytes) }));
}
