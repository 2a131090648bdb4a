import { LANES, type Lane } from '@signalbox/domain/lane';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Dispatched, SmsDispatcher } from './sms.dispatcher.ts';

/** Jobs that one dispatch takes on at most; each stands for at most SMS_JOB_WEIGHT messages. */
const MAX_JOBS = 8;

/** Dispatches of a lane under way at once: while one waits for the gateway, the other works. */
const CONCURRENCY = 2;

/** Lets the jobs of a lane that run at the same time share their statements: many small jobs then cost what a few large ones do. */
export class MergedDispatch {
  private readonly lanes: Record<Lane, GroupCommit<string[], Dispatched>>;

  constructor(private readonly dispatcher: SmsDispatcher) {
    this.lanes = Object.fromEntries(LANES.map((lane) => [lane, this.lane(lane)])) as Record<Lane, GroupCommit<string[], Dispatched>>;
  }

  /**
   * Dispatches the submissions of a job, with those of others.
   *
   * @returns what was done for all of them together
   * @throws what the dispatch threw: every job in it comes again, and finds what is left
   */
  run(lane: Lane, submissionIds: string[]): Promise<Dispatched> {
    return this.lanes[lane].add(submissionIds);
  }

  private lane(lane: Lane): GroupCommit<string[], Dispatched> {
    const flush = async (jobs: string[][]): Promise<Dispatched[]> => {
      const dispatched = await this.dispatcher.dispatch(lane, [...new Set(jobs.flat())]);
      return jobs.map(() => dispatched);
    };
    return new GroupCommit(flush, { maxBatch: MAX_JOBS, maxWaiting: 1_000, concurrency: CONCURRENCY });
  }
}
