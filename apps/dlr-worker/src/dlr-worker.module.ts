import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/data-source';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { PUSH_RETRY_QUEUE, type PushRetryJob } from '@signalbox/queues/push-retry-queue';
import { workerConnection } from '@signalbox/queues/queue-connection';
import { REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import { WorkerLife, type WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { DlrWorkerConfig } from './config.ts';
import { DlrRescuer } from './dlr.rescuer.ts';
import { PushResults } from './push-results.ts';
import { PushTargets } from './push-targets.ts';
import { Pusher } from './pusher.ts';
import { ReportApplier } from './report.applier.ts';
import { ReportDesk } from './report.desk.ts';
import { ReportProcessor } from './report.processor.ts';
import { RetryProcessor } from './retry.processor.ts';

const RESCUE_EVERY_MS = 3_000;
const REPORTS = Symbol('the producing end of the report queue');
const RETRIES = Symbol('the producing end of the retry lane');

@Module({})
export class DlrWorkerModule {
  static with(config: DlrWorkerConfig, logger: Logger): DynamicModule {
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'dlr-worker',
      poolSize: config.DATABASE_POOL_SIZE,
      commit: 'repeatable' as const,
    };
    const onError = (error: Error): void => logger.warn({ error }, 'queue.unreachable');
    return {
      module: DlrWorkerModule,
      imports: [
        DiscoveryModule,
        BullModule.forRoot(workerConnection(queue)),
        BullModule.registerQueue(), // no queues of its own, but what starts the processors
        TypeOrmModule.forRoot({ ...dataSourceOptions(database), retryDelay: 1_000, retryAttempts: 60 }),
      ],
      providers: [
        { provide: LoggedJobs, useFactory: () => new LoggedJobs(logger) },
        { provide: REPORTS, useFactory: () => openProducer<ReportJob>(REPORT_QUEUE, queue, onError) },
        { provide: RETRIES, useFactory: () => openProducer<PushRetryJob>(PUSH_RETRY_QUEUE, queue, onError) },
        {
          provide: WebhookClient,
          useFactory: () => new WebhookClient({ allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS, connectionsPerOrigin: 256 }),
        },
        {
          provide: PushTargets,
          inject: [getEntityManagerToken()],
          useFactory: (db: EntityManager) => new PushTargets(db, new Sealer(config.SECRETS_KEY)),
        },
        {
          provide: PushResults,
          inject: [getEntityManagerToken(), RETRIES],
          useFactory: (db: EntityManager, retries: Queue<PushRetryJob>) => new PushResults(db, retries, logger),
        },
        {
          provide: Pusher,
          inject: [getEntityManagerToken(), WebhookClient, PushResults],
          useFactory: (db: EntityManager, client: WebhookClient, results: PushResults) => new Pusher(db, client, results, logger),
        },
        {
          provide: ReportDesk,
          inject: [getEntityManagerToken(), PushTargets, Pusher, PushResults],
          useFactory: (db: EntityManager, targets: PushTargets, pusher: Pusher, results: PushResults) =>
            new ReportDesk(db, new ReportApplier(db), targets, pusher, results),
        },
        {
          provide: DlrRescuer,
          inject: [getEntityManagerToken(), REPORTS, RETRIES],
          useFactory: (db: EntityManager, reports: Queue<ReportJob>, retries: Queue<PushRetryJob>) =>
            new DlrRescuer(db, reports, retries, logger),
        },
        ReportProcessor,
        RetryProcessor,
        { provide: WorkerLife, inject: [ModuleRef], useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref), logger) },
      ],
    };
  }
}

/** Calls that left their jobs end first, then their outcomes are written. */
function partsOf(ref: ModuleRef): WorkerParts {
  const rescuer = ref.get(DlrRescuer);
  const reports: Queue<ReportJob> = ref.get(REPORTS);
  exposeQueues([reports, ref.get<Queue>(RETRIES)]);
  return {
    processors: [ref.get(ReportProcessor), ref.get(RetryProcessor)],
    repeated: [{ name: 'rescue', everyMs: RESCUE_EVERY_MS, work: () => rescuer.rescue() }],
    closeInOrder: [ref.get(Pusher), ref.get(PushResults), { close: () => closeProducer(reports) }],
    needs: {
      database: () => ref.get<EntityManager>(getEntityManagerToken(), { strict: false }).query('SELECT 1'),
      queue: () => reports.count(),
    },
  };
}
