/** Kinds of rows that jobs name. */
export const ROW_KINDS = ['send', 'message', 'report', 'verification', 'template', 'callback'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** One queue of the installation. Its jobs carry row ids, never facts. */
export interface QueueDefinition<Extra extends object = object> {
  readonly name: string;
  /** The kind of the rows that its jobs name. */
  readonly rows: RowKind;
  /** Maximum weight of one job; a row weighs 1 by default. */
  readonly maxWeight: number;
  /** True for rows that somebody waits for: they are enqueued within milliseconds at any load. */
  readonly isUrgent?: boolean;
  /** True when its jobs only wake the rounds of a lane, which claim whatever is ready: few are enough. */
  readonly wakesRounds?: boolean;
  /** Attempts of a failing job, and the delay between them; by default those of `JOB_OPTIONS`. */
  readonly retry?: { attempts: number; delayMs: number };
  /** Carries the type of a job's other fields than `ids`; never set. */
  readonly extra?: Extra;
}

/** The data of a job: ids of rows, and the fields that its queue declares. */
export type JobData<Extra extends object = object> = { ids: string[] } & Extra;

/**
 * Declares a queue.
 *
 * @typeParam Extra fields of a job in addition to its ids
 */
export function defineQueue<Extra extends object = object>(
  name: string,
  settings: Pick<QueueDefinition, 'rows' | 'maxWeight' | 'isUrgent' | 'wakesRounds' | 'retry'>,
): QueueDefinition<Extra> {
  return { name, ...settings };
}
