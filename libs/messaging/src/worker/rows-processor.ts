import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type Type } from '@nestjs/common';
import type { StartedTable } from '@signalbox/database/ops/starts';
import type { JobData, QueueDefinition } from '@signalbox/queues/define-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import type { Token } from '../maintenance/duty.ts';
import { rowsWork } from './rows-work.ts';
import { runLogged } from './run-logged.ts';
import { runRows } from './run-rows.ts';

/** The work of a queue's jobs. */
export interface RowsProcessorOptions<Service> {
  /** The table of the rows that the jobs name. */
  table: StartedTable;
  /** Jobs that a process runs at the same time. */
  concurrency: number;
  /** Name of the number of rows in the log line of a job. */
  countedAs: string;
  /** Does the work for these rows. A repeat must be harmless. */
  run: (service: Service, ids: string[]) => Promise<object>;
}

/**
 * Makes the processor of a queue whose jobs name rows of one table.
 *
 * @param token the provider that does the work
 */
export function rowsProcessor<Service>(
  queue: QueueDefinition,
  token: Token<Service>,
  { table, concurrency, countedAs, run }: RowsProcessorOptions<Service>,
): Type<WorkerHost> {
  @Processor(queue.name, { ...WORKER_OPTIONS, concurrency })
  class RowsProcessor extends WorkerHost {
    constructor(
      @Inject(token) private readonly service: Service,
      private readonly db: EntityManager,
      private readonly logger: Logger,
    ) {
      super();
    }

    process(job: Job<JobData>): Promise<void> {
      const isClosing = (): boolean => this.worker.closing !== undefined;
      const work = rowsWork(this.db, table, isClosing, (ids) => run(this.service, ids));
      const about = { [countedAs]: job.data.ids.length };
      return runLogged(this.logger, job, about, () => runRows(job, work));
    }
  }
  return RowsProcessor;
}
