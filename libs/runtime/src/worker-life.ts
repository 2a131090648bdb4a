import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { WorkerHost } from '@nestjs/bullmq';
import type { Logger } from './logger.ts';
import { type Repeated, repeat } from './repeat.ts';

const NEED_TIMEOUT_MS = 2_000;

export interface WorkerParts {
  processors: WorkerHost[];
  /** Work done every so often beside the jobs, such as a rescuer's pass. */
  repeated: { name: string; everyMs: number; work: () => Promise<unknown> }[];
  /** What is closed after the last job, in this order: who feeds others comes first. */
  closeInOrder: { close: () => Promise<unknown> }[];
  /** What must answer before the worker counts as ready, by the name that operators are shown. */
  needs: Record<string, () => Promise<unknown>>;
}

/** Starts what a worker does beside its jobs, and drains the worker: jobs under way end while all they need is still open. */
export class WorkerLife implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private parts: WorkerParts = { processors: [], repeated: [], closeInOrder: [], needs: {} };
  private running: Repeated[] = [];

  /** @param collect names the parts, once they all exist */
  constructor(
    private readonly collect: () => WorkerParts,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.parts = this.collect();
    for (const { worker } of this.parts.processors)
      worker.on('error', (error) => this.logger.warn({ queue: worker.name, error }, 'worker.unreachable'));
    this.running = this.parts.repeated.map(({ name, everyMs, work }) =>
      repeat(name, everyMs, work, this.logger),
    );
  }

  /** Names of what does not answer now; empty means ready. */
  async notReady(): Promise<string[]> {
    const checks = Object.entries(this.parts.needs).map(async ([name, check]) => {
      const answered = await Promise.race([
        check().then(
          () => true,
          () => false,
        ),
        late(),
      ]);
      return answered ? [] : [name];
    });
    return (await Promise.all(checks)).flat();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.map((repeated) => repeated.stop()));
    await Promise.all(this.parts.processors.map(({ worker }) => worker.close()));
    for (const part of this.parts.closeInOrder) await part.close();
  }
}

function late(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, NEED_TIMEOUT_MS, false).unref());
}
