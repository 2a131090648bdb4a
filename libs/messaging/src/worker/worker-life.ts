import { WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import { requireWritable } from '@signalbox/database/ops/readiness';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { Fleet } from '@signalbox/runtime/fleet';
import { Logger } from '@signalbox/runtime/logger';
import type { Probes } from '@signalbox/runtime/outage-log';
import { type Repeated, repeat } from '@signalbox/runtime/repeat';
import { answersWithin } from '@signalbox/runtime/with-timeout';
import type { Worker } from 'bullmq';
import { EntityManager } from 'typeorm';
import type { Duty, Token } from '../maintenance/duty.ts';
import { runDuty } from '../maintenance/run-duty.ts';
import { closeWorker } from './close-worker.ts';
import { sampleQueues } from './queue-samples.ts';
import { WorkerWatch } from './worker-watch.ts';

const NEED_TIMEOUT_MS = 2_000;

const WATCH_EVERY_MS = 5_000;

interface Closable {
  close: () => Promise<unknown>;
}

/** The life of a worker, as its module declares it. */
export interface WorkerPlanOptions {
  /** Workers of one name share limits: each of them gets a `Fleet`. */
  fleet?: string;
  /** Queues whose jobs this worker runs. Each needs one processor, and its jobs are shown in the metrics. */
  consumes: readonly [QueueDefinition, ...QueueDefinition[]];
  duties: readonly Duty[];
  /** Providers to close after the last job, in this order: one that feeds another comes first. */
  closeInOrder: readonly Token<Closable>[];
}

/** The options of a worker, completed by the duty that every worker has, and by what it closes last. */
export class WorkerPlan {
  readonly consumes: WorkerPlanOptions['consumes'];
  readonly hasFleet: boolean;
  readonly duties: readonly Duty[];
  readonly closeInOrder: readonly Token<Closable>[];

  constructor({ fleet, consumes, duties, closeInOrder }: WorkerPlanOptions) {
    this.hasFleet = fleet !== undefined;
    this.consumes = consumes;
    this.duties = [sampleQueues(consumes), ...duties];
    this.closeInOrder = [...closeInOrder, ...(this.hasFleet ? [Fleet] : []), Queues];
  }
}

/**
 * Runs a worker from start to end. Start: databases and queues are open and processors run; then duties start. End: no
 * pass of a duty begins and no job is taken any more, those in progress finish while all they need is still open,
 * providers close in the plan's order, this worker deregisters from its fleet, and queues close. Nest closes the
 * databases last.
 */
@Injectable()
export class WorkerLife implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private processors: WorkerHost[] = [];
  private running: Repeated[] = [];

  constructor(
    private readonly plan: WorkerPlan,
    private readonly ref: ModuleRef,
    private readonly discovery: DiscoveryService,
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  /** Names of the queues whose jobs this worker runs. */
  get queues(): string[] {
    return this.plan.consumes.map(({ name }) => name);
  }

  /** @throws Error when a queue has no processor, or two */
  onApplicationBootstrap(): void {
    this.processors = this.discovery
      .getProviders()
      .flatMap(({ instance }) => (instance instanceof WorkerHost ? [instance] : []));
    for (const queue of this.queues) this.assertServed(queue);
    if (this.plan.hasFleet) this.get(Fleet).start(this.logger);
    const { duties } = this.plan;
    this.running = [...duties.map((duty, i) => this.start(duty, (i + 1) / duties.length)), this.watch()];
  }

  /** Checks of everything that the worker depends on. */
  get probes(): Probes {
    const queue = this.get(Queues).get(this.plan.consumes[0]);
    return { database: () => requireWritable(this.db), queue: () => queue.requireWritable() };
  }

  /** Returns the names of the dependencies that do not answer now; none when the worker is ready. */
  async notReady(): Promise<string[]> {
    const checks = Object.entries(this.probes).map(async ([name, ask]) => {
      return (await answersWithin(ask(), NEED_TIMEOUT_MS)) ? [] : [name];
    });
    return (await Promise.all(checks)).flat();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([
      ...this.running.map((duty) => duty.stop()),
      ...this.processors.map(({ worker }) => this.close(worker)),
    ]);
    for (const token of this.plan.closeInOrder) await this.closeProvider(token);
  }

  /** Logs a provider that does not close, so that those after it are still closed. */
  private async closeProvider(token: Token<Closable>): Promise<void> {
    try {
      await this.get(token).close();
    } catch (error) {
      this.logger.warn({ provider: token.name, error }, 'process.not_closed');
    }
  }

  private close(worker: Worker): Promise<void> {
    const queue = this.get(Queues).all.find(({ name }) => name === worker.name);
    return closeWorker(worker, async () => queue?.requireWritable());
  }

  /**
   * Repeats a duty.
   *
   * @param phase the share of the interval that passes before the first pass. Duties with the same interval and phase
   *   would run at the same moment, each on another connection, and delay the worker's messages.
   */
  private start(duty: Duty, phase: number): Repeated {
    const context = {
      db: this.db,
      queues: this.get(Queues),
      logger: this.logger,
      get: <T>(token: Token<T>): T => this.get(token),
    };
    const { name, everyMs, idleMs } = duty;
    const schedule = { everyMs, idleMs, firstMs: phase * everyMs };
    return repeat(name, schedule, (isStopped) => runDuty(duty, context, isStopped), this.logger);
  }

  /** Watches the processors of the plan's queues. */
  private watch(): Repeated {
    const watches = this.plan.consumes.flatMap((queue) =>
      this.processors
        .filter(({ worker }) => worker.name === queue.name)
        .map((host) => new WorkerWatch(host, this.get(Queues).get(queue), this.logger)),
    );
    const check = (): Promise<unknown> => Promise.all(watches.map((each) => each.check()));
    return repeat('watch workers', { everyMs: WATCH_EVERY_MS }, check, this.logger);
  }

  private get<T>(token: Token<T>): T {
    return this.ref.get<T>(token, { strict: false });
  }

  private assertServed(queue: string): void {
    const count = this.processors.filter(({ worker }) => worker.name === queue).length;
    if (count !== 1)
      throw new Error(`queue ${queue} must have one processor in this process, and has ${count}`);
  }
}
