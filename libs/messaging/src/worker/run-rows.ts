import { isOutage } from '@signalbox/runtime/outage';
import type { GivenBack } from './give-back.ts';

/** A job that names rows; BullMQ's Job fits. */
export interface RowsJob {
  data: { ids: string[] } & GivenBack;
  /** Times that a process took it, this one included. */
  attemptsStarted: number;
}

/** The work of a job. */
export interface RowsWork {
  /** Counts one more start of rows, durably. Returns those that are open and not parked. */
  countStarts: (ids: string[]) => Promise<string[]>;
  /** Does the work for these rows. */
  run: (ids: string[]) => Promise<object>;
  /** Notes the error of a row that failed by itself, for operators. A note that fails is left out. */
  noteFailure: (id: string, error: unknown) => Promise<unknown>;
  /** Waits for the end of an outage of the database. Returns false when there is none, or the worker closes. */
  awaitAnswer: () => Promise<boolean>;
  /** True when the worker closes: a run that takes its rows one by one then leaves the others to the next run. */
  isClosing: () => boolean;
}

/** Runs that begin with all rows of a job; later ones take the rows one by one. */
const SHARED_RUNS = 2;

/** Returns the number of rows that a run of a job works on at the same time. */
export function rowsAtATime(job: RowsJob): number {
  return runsBegun(job) <= SHARED_RUNS ? job.data.ids.length : 1;
}

/** Returns the number of runs that began, this one included. */
function runsBegun({ data: { givenBack = 0 }, attemptsStarted }: RowsJob): number {
  return attemptsStarted - givenBack;
}

/**
 * Runs the rows of a job, so that a row that always fails, or ends its worker, is parked alone. The first run costs
 * nothing extra. A second one counts a start of each row before it begins. From the third on each row is counted and
 * run by itself: what was done before the failure stays done, and only the rows that fail are counted again.
 *
 * A run that an outage of the database ends is repeated after it, as the same run. So a queue that is long after an
 * outage does not consist of jobs whose rows run one by one.
 *
 * @returns fields for the log line of the job
 * @throws the first error, after all rows had their run, or an error when the worker closes first
 */
export async function runRows(job: RowsJob, work: RowsWork): Promise<object> {
  const { ids } = job.data;
  const runs = runsBegun(job);
  if (runs <= 1) return runThroughOutages(ids, work);
  if (runs <= SHARED_RUNS) return runCounted(ids, work);
  const errors: unknown[] = [];
  for (const [i, id] of ids.entries()) {
    if (work.isClosing()) throw new Error(`the worker closes before ${ids.length - i} rows of the job`);
    await runCounted([id], work).catch(async (error: unknown) => {
      errors.push(error);
      await work.noteFailure(id, error).catch(() => undefined);
    });
  }
  if (errors.length > 0) throw errors[0];
  return { oneByOne: ids.length };
}

async function runCounted(ids: string[], work: RowsWork): Promise<object> {
  const open = await work.countStarts(ids);
  return open.length === 0 ? {} : runThroughOutages(open, work);
}

async function runThroughOutages(ids: string[], { run, awaitAnswer }: RowsWork): Promise<object> {
  for (;;) {
    try {
      return await run(ids);
    } catch (error) {
      if (!isOutage(error) || !(await awaitAnswer())) throw error;
    }
  }
}
