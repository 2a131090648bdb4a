import { listPacedAccounts } from '@signalbox/database/accounts/accounts';
import { listWaitingLanes } from '@signalbox/database/submissions/ready';
import { readyDue } from '@signalbox/database/submissions/submissions';
import { LANES, type Lane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { SmsJob } from '@signalbox/queues/sms-queue';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import { LaneTurns } from './lane-turns.ts';
import type { Pace } from './pace.ts';
import type { Dispatched, SmsDispatcher } from './sms.dispatcher.ts';

/** Jobs that one dispatch takes on at most; each stands for at most SMS_JOB_WEIGHT messages. */
const MAX_JOBS = 8;

/** Dispatches of a lane under way at once: while one waits for the gateway, the other works. */
const CONCURRENCY = 2;

/** A job that waited longer for its turn tells of a queue in front of a lane. */
const MAX_WAITED_MS = 300;

/** What became of a job. */
export type Served = Dispatched | { leftToTurns: number };

interface LaneParts {
  byName: GroupCommit<string[], Dispatched>;
  again: GroupCommit<string[], Dispatched>;
  turns: LaneTurns;
}

/**
 * Serves the lanes. While there is no queue in front of a lane, a job's submissions are dispatched by name, and jobs that run at the same
 * time share their statements. As soon as there is one, or the pace is limited, names count no longer: the lane is served in
 * turns that its accounts share, and jobs only say that there is something to do.
 */
export class SmsLanes {
  private readonly lanes: Record<Lane, LaneParts>;

  constructor(
    private readonly db: EntityManager,
    dispatcher: SmsDispatcher,
    private readonly pace: Pace,
    quietHours: readonly QuietRule[],
    logger: Logger,
  ) {
    const parts = (lane: Lane): LaneParts => {
      const quiet = quietHours.filter((rule) => rule.lane === lane);
      const turns = new LaneTurns(lane, quiet, dispatcher, pace, logger);
      const again = merged((ids) => dispatcher.retry(lane, ids, quiet), pace);
      const byName = merged(async (ids) => {
        const { left, ...dispatched } = await dispatcher.dispatch(lane, ids, quiet);
        if (left > 0) turns.wake();
        return dispatched;
      }, pace);
      return { byName, again, turns };
    };
    this.lanes = Object.fromEntries(LANES.map((lane) => [lane, parts(lane)])) as Record<Lane, LaneParts>;
  }

  /**
   * Serves a job that waited so long in its queue.
   *
   * @throws what the dispatch threw: every job in it comes again, and finds what is left
   */
  async run(lane: Lane, { submissionIds, again }: SmsJob, waitedMs: number): Promise<Served> {
    const { byName, again: once, turns } = this.lanes[lane];
    if (again) return once.add(submissionIds);
    if (!turns.isServing && this.pace.isFree && waitedMs <= MAX_WAITED_MS) return byName.add(submissionIds);
    turns.wake();
    return { leftToTurns: submissionIds.length };
  }

  /** Makes submissions ready whose time has come. */
  async readyDue(): Promise<void> {
    for (const lane of await readyDue(this.db, 'sms')) this.lanes[lane].turns.wake();
  }

  /** Looks for what is ready and nobody takes: its bell was lost, or other workers have more than they can take. */
  async lookForWaiting(): Promise<void> {
    for (const lane of await listWaitingLanes(this.db, 'sms')) this.lanes[lane].turns.wake();
  }

  /** Learns of the limits of accounts. */
  async learnLimits(): Promise<void> {
    this.pace.limitAccounts(await listPacedAccounts(this.db));
  }

  /** Takes nothing more, and resolves when all that was taken is done. */
  async close(): Promise<void> {
    await Promise.all(LANES.map((lane) => this.lanes[lane].turns.close()));
  }
}

/** Lets many small jobs cost what a few large ones do. */
function merged(
  dispatch: (submissionIds: string[]) => Promise<Dispatched>,
  pace: Pace,
): GroupCommit<string[], Dispatched> {
  const flush = async (jobs: string[][]): Promise<Dispatched[]> => {
    const dispatched = await dispatch([...new Set(jobs.flat())]);
    pace.owe(dispatched.submitted);
    pace.learn(dispatched);
    return jobs.map(() => dispatched);
  };
  return new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000, concurrency: CONCURRENCY });
}
