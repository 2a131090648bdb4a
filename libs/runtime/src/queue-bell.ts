import { Bell } from './bell.ts';
import type { Logger } from './logger.ts';

/** The producing end of a queue; BullMQ's Queue fits. */
export interface RungQueue<Job> {
  readonly name: string;
  add(name: string, job: Job): Promise<unknown>;
}

/** How rings become jobs. */
export interface Ringing<Job> {
  /** The most weight of one job. */
  maxBatch: number;
  toJob: (ids: string[]) => Job;
  /** Closes the queue, after the last ring. */
  close?: () => Promise<unknown>;
}

/** A bell of a queue, which tells in the log of rings that are lost. */
export function queueBell<Job>(
  queue: RungQueue<Job>,
  { maxBatch, toJob, close }: Ringing<Job>,
  logger: Logger,
): Bell {
  return new Bell({
    enqueue: (ids) => queue.add(queue.name, { ...toJob(ids), ids }), // `ids` is the form of every worker's job; the other goes
    maxBatch,
    onLost: (error, ids) => logger.warn({ queue: queue.name, count: ids.length, error }, 'bell.lost'),
    ...(close && { close }),
  });
}
