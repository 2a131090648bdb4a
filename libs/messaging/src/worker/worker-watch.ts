import type { WorkerHost } from '@nestjs/bullmq';
import type { JobQueue } from '@signalbox/queues/job-queue';
import type { Logger } from '@signalbox/runtime/logger';
import { Worker } from 'bullmq';
import { activityOf } from './run-logged.ts';

/** Time for which jobs may wait while the process runs none of their queue. */
const SILENT_AFTER_MS = 30_000;

/**
 * Watches the BullMQ worker of one processor. A worker may stop to fetch jobs without an error, for instance on a
 * connection that is half open; then it is replaced.
 */
export class WorkerWatch {
  private waitingSince: number | undefined;

  constructor(
    private readonly host: WorkerHost,
    private readonly queue: Pick<JobQueue, 'countByState' | 'admin'>,
    private readonly logger: Logger,
    private readonly silentAfterMs = SILENT_AFTER_MS,
  ) {
    this.listen(host.worker);
  }

  /**
   * Replaces the worker when it is silent and not closing. A queue that does not answer says nothing about its worker.
   */
  async check(): Promise<void> {
    const { name } = this.host.worker;
    const counts = await this.queue.countByState('waiting').catch(() => undefined);
    const activity = activityOf(name);
    if (!counts?.['waiting'] || activity.running > 0) {
      this.waitingSince = undefined;
      return;
    }
    this.waitingSince ??= performance.now();
    const silentMs = Math.round(performance.now() - Math.max(this.waitingSince, activity.changedAt));
    if (silentMs < this.silentAfterMs || (await this.isPaused()) || this.host.worker.closing) return;
    this.logger.error({ queue: name, waiting: counts['waiting'], silentMs }, 'worker.silent');
    this.replace();
  }

  /** The workers of a paused queue take no jobs, and are not to be replaced. */
  private isPaused(): Promise<boolean> {
    return this.queue.admin.isPaused().catch(() => true);
  }

  private replace(): void {
    const { host } = this;
    const silent = host.worker;
    const worker = new Worker(silent.name, (job, token) => host.process(job, token), silent.opts);
    this.listen(worker);
    Object.assign(host, { _worker: worker }); // as Nest sets it
    this.waitingSince = undefined;
    silent.close(true).catch(() => undefined); // not awaited: its connection may hang
  }

  private listen(worker: Worker): void {
    worker.on('error', (error) => this.logger.warn({ queue: worker.name, error }, 'worker.unreachable'));
  }
}
