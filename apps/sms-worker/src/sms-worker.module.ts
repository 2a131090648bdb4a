import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import { sweepIdempotencyKeys } from '@signalbox/database/submissions/creations';
import { sweepPhoneMessages } from '@signalbox/database/ops/phones';
import { Sealer } from '@signalbox/runtime/seal';
import { addUpClicks, deleteExpiredLinks } from '@signalbox/database/messages/short-links';
import { beat, leave } from '@signalbox/database/ops/live-workers';
import { requireTimeZones } from '@signalbox/database/submissions/quiet';
import { countReady } from '@signalbox/database/submissions/ready';
import { wipeAbandonedSecrets } from '@signalbox/database/submissions/submissions';
import { LANES, type Lane } from '@signalbox/domain/lane';
import { parseQuietHours } from '@signalbox/domain/sms/quiet-hours';
import { SmsGateway } from '@signalbox/gateways/sms-gateway';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { workerConnection } from '@signalbox/queues/queue-connection';
import { REPORT_JOB_WEIGHT, REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { showBacklog } from '@signalbox/runtime/backlog-gauge';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import { Fleet } from '@signalbox/runtime/fleet';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { WorkerLife, type WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { SmsWorkerConfig } from './config.ts';
import { PhoneGateway } from './phone.gateway.ts';
import { Pace } from './pace.ts';
import { ParkedWatch } from './parked.watch.ts';
import { ReportIntake } from './report-intake.ts';
import { Retention } from './retention.ts';
import { SmsBells } from './sms.bells.ts';
import { SmsDispatcher } from './sms.dispatcher.ts';
import { SmsLanes } from './sms.lanes.ts';
import { OtpLaneProcessor, PromoLaneProcessor, TransLaneProcessor } from './sms.processor.ts';
import { SmsRescuer } from './sms.rescuer.ts';
import { SmsWriter } from './sms.writer.ts';

/** The connection whose commits wait for the disk: a gateway is told "taken" after them. */
const DURABLE = 'durable';
/** A database that is still starting is waited for. */
const PATIENCE = { retryDelay: 1_000, retryAttempts: 60 };
/** Submissions go out within a second of their time. */
const DUE_EVERY_MS = 250;
const LOOK_EVERY_MS = 1_000;
const LIMITS_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 1_000;
/** The workers that share the limits of gateways and accounts. */
const FLEET = 'sms';
const RESCUE_EVERY_MS = 3_000;
const WATCH_EVERY_MS = 15_000;
const SWEEP_EVERY_MS = 60_000;
const CLICKS_EVERY_MS = 2_000;
const PRODUCERS = Symbol('the producing end of each SMS lane');
const REPORTS = Symbol('the producing end of the report queue');
const REPORT_BELL = Symbol('rings for stored reports');

type Producers = Record<Lane, Queue<SmsJob>>;

@Module({})
export class SmsWorkerModule {
  static with(config: SmsWorkerConfig, logger: Logger, smsGateway: SmsGateway): DynamicModule {
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'sms-worker',
      poolSize: config.DATABASE_POOL_SIZE,
    };
    const onError = (error: Error): void => logger.warn({ error }, 'queue.unreachable');
    return {
      module: SmsWorkerModule,
      imports: [
        DiscoveryModule,
        BullModule.forRoot(workerConnection(queue)),
        BullModule.registerQueue(), // no queues of its own, but what starts the processors
        TypeOrmModule.forRoot({ ...dataSourceOptions({ ...database, commit: 'repeatable' }), ...PATIENCE }),
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ ...database, commit: 'durable' }),
          ...PATIENCE,
          name: DURABLE,
        }),
      ],
      providers: [
        { provide: LoggedJobs, useFactory: () => new LoggedJobs(logger) },
        {
          provide: SmsGateway,
          inject: [getEntityManagerToken()],
          useFactory: (db: EntityManager) => withPhones(smsGateway, db, config),
        },
        {
          provide: PRODUCERS,
          useFactory: () => openLanes((lane) => openProducer<SmsJob>(SMS_QUEUE[lane], queue, onError)),
        },
        {
          provide: SmsBells,
          inject: [PRODUCERS],
          useFactory: (producers: Producers) => new SmsBells(producers, logger),
        },
        { provide: REPORTS, useFactory: () => openProducer<ReportJob>(REPORT_QUEUE, queue, onError) },
        {
          provide: REPORT_BELL,
          inject: [REPORTS],
          useFactory: (reports: Queue<ReportJob>) => reportBell(reports, logger),
        },
        {
          provide: ReportIntake,
          inject: [getEntityManagerToken(DURABLE), REPORT_BELL, SmsGateway],
          useFactory: (durable: EntityManager, bell: Bell, gateway: SmsGateway) =>
            receiveReports(gateway, new ReportIntake(durable, bell, logger)),
        },
        {
          provide: SmsDispatcher,
          inject: [getEntityManagerToken(), SmsGateway, ReportIntake, SmsBells, SmsWriter],
          useFactory: (
            db: EntityManager,
            gateway: SmsGateway,
            intake: ReportIntake,
            bells: SmsBells,
            writer: SmsWriter,
          ) => new SmsDispatcher(db, gateway, intake, bells, writer),
        },
        {
          provide: SmsWriter,
          inject: [getEntityManagerToken()],
          useFactory: (db: EntityManager) => new SmsWriter(db, config.secretKeys, config.SHORT_LINK_DAYS),
        },
        ...laneProviders(config, logger),
        {
          provide: SmsRescuer,
          inject: [getEntityManagerToken(), REPORTS, SmsBells, SmsGateway],
          useFactory: (db: EntityManager, reports: Queue<ReportJob>, bells: SmsBells, gateway: SmsGateway) =>
            new SmsRescuer(db, reports, bells, gateway, logger),
        },
        OtpLaneProcessor,
        TransLaneProcessor,
        PromoLaneProcessor,
        {
          provide: WorkerLife,
          inject: [ModuleRef],
          useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref, config, logger), logger),
        },
      ],
    };
  }
}

function laneProviders(config: SmsWorkerConfig, logger: Logger): Provider[] {
  const openSmsLanes = async (
    db: EntityManager,
    dispatcher: SmsDispatcher,
    fleet: Fleet,
    gateway: SmsGateway,
  ): Promise<SmsLanes> => {
    const quiet = parseQuietHours(config.QUIET_HOURS);
    await requireTimeZones(db, quiet);
    return new SmsLanes(db, dispatcher, new Pace(fleet, gateway.ratePerSecond), quiet, logger);
  };
  return [
    { provide: Fleet, inject: [getEntityManagerToken()], useFactory: (db: EntityManager) => joinFleet(db) },
    {
      provide: SmsLanes,
      inject: [getEntityManagerToken(), SmsDispatcher, Fleet, SmsGateway],
      useFactory: openSmsLanes,
    },
  ];
}

/** Lanes feed gateways, gateways the intake, the intake the report bell: they close in that order. */
function partsOf(ref: ModuleRef, config: SmsWorkerConfig, logger: Logger): WorkerParts {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const rescuer = ref.get(SmsRescuer);
  const watch = new ParkedWatch(db, logger);
  const retention = new Retention(db, config.RETENTION_DAYS, logger);
  const [lanes, fleet] = [ref.get(SmsLanes), ref.get(Fleet)];
  const producers: Producers = ref.get(PRODUCERS);
  return {
    processors: [ref.get(OtpLaneProcessor), ref.get(TransLaneProcessor), ref.get(PromoLaneProcessor)],
    repeated: [
      { name: 'make due submissions ready', everyMs: DUE_EVERY_MS, work: () => lanes.readyDue() },
      { name: 'look for waiting submissions', everyMs: LOOK_EVERY_MS, work: () => lanes.lookForWaiting() },
      { name: 'learn the limits of accounts', everyMs: LIMITS_EVERY_MS, work: () => lanes.learnLimits() },
      { name: 'beat', everyMs: BEAT_EVERY_MS, work: () => fleet.beat() },
      { name: 'rescue', everyMs: RESCUE_EVERY_MS, work: () => rescuer.rescue() },
      {
        name: 'watch the backlog',
        everyMs: WATCH_EVERY_MS,
        work: async () => showBacklog(await countReady(db, 'sms')),
      },
      { name: 'watch parked rows', everyMs: WATCH_EVERY_MS, work: () => watch.look() },
      { name: 'delete what is old', everyMs: SWEEP_EVERY_MS, work: () => retention.sweep() },
      { name: 'add up clicks', everyMs: CLICKS_EVERY_MS, work: () => addUpClicks(db) },
      { name: 'sweep expired links', everyMs: SWEEP_EVERY_MS, work: () => deleteExpiredLinks(db) },
      { name: 'wipe what was left sealed', everyMs: SWEEP_EVERY_MS, work: () => wipeAbandonedSecrets(db) },
      { name: 'sweep phones', everyMs: SWEEP_EVERY_MS, work: () => sweepPhoneMessages(db) },
      { name: 'sweep idempotency keys', everyMs: SWEEP_EVERY_MS, work: () => sweepIdempotencyKeys(db) },
    ],
    closeInOrder: [
      lanes,
      ref.get(SmsGateway),
      ref.get(ReportIntake),
      ref.get(SmsBells),
      ref.get(REPORT_BELL),
      fleet,
    ],
    needs: {
      database: () => db.query('SELECT 1'),
      queue: () => producers.TRANS.count(),
    },
  };
}

async function joinFleet(db: EntityManager): Promise<Fleet> {
  const fleet = new Fleet({ beat: (id) => beat(db, FLEET, id), leave: (id) => leave(db, FLEET, id) });
  await fleet.beat();
  return fleet;
}

async function openLanes(open: (lane: Lane) => Promise<Queue<SmsJob>>): Promise<Producers> {
  const producers = Object.fromEntries(
    await Promise.all(LANES.map(async (lane) => [lane, await open(lane)])),
  ) as Producers;
  exposeQueues(Object.values(producers));
  return producers;
}

function withPhones(gateway: SmsGateway, db: EntityManager, config: SmsWorkerConfig): SmsGateway {
  return config.SIMULATOR_INBOX ? new PhoneGateway(gateway, db, new Sealer(...config.secretKeys)) : gateway;
}

function receiveReports(gateway: SmsGateway, intake: ReportIntake): ReportIntake {
  gateway.onReports((reports) => intake.receive(gateway.name, reports));
  return intake;
}

function reportBell(queue: Queue<ReportJob>, logger: Logger): Bell {
  return queueBell(
    queue,
    { maxBatch: REPORT_JOB_WEIGHT, toJob: (reportIds) => ({ reportIds }), close: () => closeProducer(queue) },
    logger,
  );
}
