import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import { beat, leave } from '@signalbox/database/ops/live-workers';
import { sweepPushes } from '@signalbox/database/webhooks/pushes';
import { Carriers, REFRESH_CARRIERS_MS } from '@signalbox/database/ops/carriers';
import { advanceReplays } from '@signalbox/database/webhooks/replays';
import { withAdvisoryLock } from '@signalbox/database/ops/rescue';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { workerConnection } from '@signalbox/queues/queue-connection';
import { REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { Fleet } from '@signalbox/runtime/fleet';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import { WorkerLife, type WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import { Backlog } from './backlog.ts';
import type { DlrWorkerConfig } from './config.ts';
import { DlrRescuer } from './dlr.rescuer.ts';
import { EarlyReports } from './early-reports.ts';
import { showEndpoints } from './endpoint-metrics.ts';
import { Endpoints } from './endpoints.ts';
import { PushSequencer } from './push-sequencer.ts';
import { PushResults } from './push-results.ts';
import { PushTargets } from './push-targets.ts';
import { Pusher } from './pusher.ts';
import { ReportApplier } from './report.applier.ts';
import { ReportDesk } from './report.desk.ts';
import { ReportProcessor } from './report.processor.ts';
import { resealWebhookSecrets } from './webhook-secrets.ts';

const BEAT_EVERY_MS = 1_000;
const PASS_EVERY_MS = 500;
const RESCUE_EVERY_MS = 3_000;
const COUNT_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;
const FLEET = 'dlr';
const REPORTS = Symbol('the producing end of the report queue');

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
        {
          provide: WebhookClient,
          useFactory: () =>
            new WebhookClient({ allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS, connectionsPerOrigin: 320 }),
        },
        { provide: Sealer, useFactory: () => new Sealer(...config.secretKeys) },
        {
          provide: PushTargets,
          inject: [getEntityManagerToken(), Sealer],
          useFactory: (db: EntityManager, sealer: Sealer) => new PushTargets(db, sealer),
        },
        ...pushProviders(logger),
        {
          provide: ReportApplier,
          inject: [getEntityManagerToken(), REPORTS],
          useFactory: (db: EntityManager, reports: Queue<ReportJob>) =>
            new ReportApplier(db, new EarlyReports(reports, logger)),
        },
        {
          provide: ReportDesk,
          inject: [ReportApplier, PushTargets, getEntityManagerToken(), Pusher, PushResults],
          useFactory: (
            applier: ReportApplier,
            targets: PushTargets,
            db: EntityManager,
            pusher: Pusher,
            results: PushResults,
          ) => new ReportDesk(applier, targets, new PushSequencer(db), pusher, results),
        },
        {
          provide: DlrRescuer,
          inject: [getEntityManagerToken(), REPORTS],
          useFactory: (db: EntityManager, reports: Queue<ReportJob>) => new DlrRescuer(db, reports, logger),
        },
        ReportProcessor,
        {
          provide: WorkerLife,
          inject: [ModuleRef],
          useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref), logger),
        },
      ],
    };
  }
}

/** What makes pushes and writes down how they went. */
function pushProviders(logger: Logger): Provider[] {
  return [
    {
      provide: PushResults,
      inject: [getEntityManagerToken()],
      useFactory: (db: EntityManager) => new PushResults(db),
    },
    {
      provide: Fleet,
      inject: [getEntityManagerToken()],
      useFactory: (db: EntityManager) => joinFleet(db),
    },
    {
      provide: Endpoints,
      inject: [getEntityManagerToken(), Fleet],
      useFactory: (db: EntityManager, fleet: Fleet) => new Endpoints(db, fleet, logger),
    },
    {
      provide: Carriers,
      inject: [getEntityManagerToken()],
      useFactory: (db: EntityManager) => Carriers.open(db),
    },
    {
      provide: Pusher,
      inject: [Endpoints, WebhookClient, PushResults, Carriers],
      useFactory: (endpoints: Endpoints, client: WebhookClient, results: PushResults, operators: Carriers) =>
        new Pusher(endpoints, client, results, operators, logger),
    },
    {
      provide: Backlog,
      inject: [getEntityManagerToken(), Endpoints, PushTargets, Pusher],
      useFactory: (db: EntityManager, endpoints: Endpoints, targets: PushTargets, pusher: Pusher) =>
        new Backlog(db, endpoints, targets, pusher),
    },
  ];
}

/** The limits of an end point hold for all dlr-workers together. A worker takes part from its start. */
async function joinFleet(db: EntityManager): Promise<Fleet> {
  const fleet = new Fleet({ beat: (id) => beat(db, FLEET, id), leave: (id) => leave(db, FLEET, id) });
  await fleet.beat();
  return fleet;
}

/** Calls that left their jobs end first, then their outcomes are written, and what was seen of their end points is told. */
function partsOf(ref: ModuleRef): WorkerParts {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const [fleet, backlog, endpoints, rescuer] = [
    ref.get(Fleet),
    ref.get(Backlog),
    ref.get(Endpoints),
    ref.get(DlrRescuer),
  ];
  const reports: Queue<ReportJob> = ref.get(REPORTS);
  exposeQueues([reports]);
  return {
    processors: [ref.get(ReportProcessor)],
    repeated: [
      { name: 'beat', everyMs: BEAT_EVERY_MS, work: () => fleet.beat() },
      { name: 'backlog', everyMs: PASS_EVERY_MS, work: () => backlog.pass() },
      { name: 'replay', everyMs: PASS_EVERY_MS, work: () => advanceReplays(db) },
      { name: 'rescue', everyMs: RESCUE_EVERY_MS, work: () => rescuer.rescue() },
      { name: 'metrics', everyMs: COUNT_EVERY_MS, work: () => showEndpoints(db) },
      { name: 'read operators', everyMs: REFRESH_CARRIERS_MS, work: () => ref.get(Carriers).refresh() },
      { name: 'sweep', everyMs: SWEEP_EVERY_MS, work: () => withAdvisoryLock(db, 'push sweep', sweepPushes) },
      { name: 'reseal', everyMs: SWEEP_EVERY_MS, work: () => resealWebhookSecrets(db, ref.get(Sealer)) },
    ],
    closeInOrder: [
      backlog,
      ref.get(ReportApplier),
      ref.get(Pusher),
      ref.get(PushResults),
      endpoints,
      fleet,
      { close: () => closeProducer(reports) },
    ],
    needs: { database: () => db.query('SELECT 1'), queue: () => reports.count() },
  };
}
