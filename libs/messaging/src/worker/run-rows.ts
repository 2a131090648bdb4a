/** A job that names rows; BullMQ's Job fits. */
export interface RowsJob {
  data: { ids: string[] };
  /** Runs that began, this one included. */
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
}

/** Runs that begin with all rows of a job; later ones take the rows one by one. */
const SHARED_RUNS = 2;

/**
 * Runs the rows of a job, so that a row that always fails, or ends its worker, is parked alone. The first run costs
 * nothing extra. A second one counts a start of each row before it begins. From the third on each row is counted and
 * run by itself: what was done before the failure stays done, and only the rows that fail are counted again.
 *
 * @returns fields for the log line of the job
 * @throws the first error, after all rows had their run
 */
export async function runRows({ data: { ids }, attemptsStarted }: RowsJob, work: RowsWork): Promise<object> {
  if (attemptsStarted <= 1) return work.run(ids);
  if (attemptsStarted <= SHARED_RUNS) return runCounted(ids, work);
  const errors: unknown[] = [];
  for (const id of ids)
    await runCounted([id], work).catch(async (error: unknown) => {
      errors.push(error);
      await work.noteFailure(id, error).catch(() => undefined);
    });
  if (errors.length > 0) throw errors[0];
  return { oneByOne: ids.length };
}

async function runCounted(ids: string[], { countStarts, run }: RowsWork): Promise<object> {
  const open = await countStarts(ids);
  return open.length === 0 ? {} : run(open);
}
