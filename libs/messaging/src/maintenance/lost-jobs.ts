import {
  claimLostCallbacks,
  claimLostReports,
  claimLostReviews,
  claimLostVerifications,
  withAdvisoryLock,
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

const RESCUE_EVERY_MS = 3_000;

/** A row whose job was lost, and its weight in the new job. */
interface LostRow {
  id: string;
  weight: number;
}

/** Rows of one kind that wait for a job. */
interface LostJobs {
  queue: QueueDefinition;
  /** Claims rows without a job: those older than the oldest job of the queue. */
  claim: (db: EntityManager, oldestJobAt: Date) => Promise<LostRow[]>;
  logEvent: string;
}

const LOST_JOBS = {
  reports: {
    queue: REPORT_QUEUES.OTHER,
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

/**
 * Re-enqueues rows whose job was lost. A job too many does no harm. While the queue is unreachable the pass fails before it
 * claims, so that no start is counted against a row.
 */
export function rescue(what: keyof typeof LOST_JOBS): SimpleDuty {
  const { queue: definition, claim, logEvent }: LostJobs = LOST_JOBS[what];
  const run = async ({ db, queues, logger }: DutyContext): Promise<void> => {
    const queue = queues.get(definition);
    const oldest = await oldestJobAt(queue); // before the lock: a queue that hangs delays this process only
    const lost = await withAdvisoryLock(db, `rescue ${what}`, (locked) => claim(locked, oldest));
    if (!lost?.length) return;
    logger.warn({ count: lost.length }, logEvent);
    for (const { id, weight } of lost) queue.enqueue([id], weight);
  };
  return { name: `rescue ${what}`, everyMs: RESCUE_EVERY_MS, run };
}

function equalWeights(claim: (db: EntityManager, oldestJobAt: Date) => Promise<string[]>): LostJobs['claim'] {
  return async (db, oldest) => (await claim(db, oldest)).map((id) => ({ id, weight: 1 }));
}

async function callbacksBySize(db: EntityManager, oldest: Date): Promise<LostRow[]> {
  const lost = await claimLostCallbacks(db, oldest);
  return lost.map(({ id, sizeBytes }) => ({ id, weight: callbackWeight(sizeBytes) }));
}
