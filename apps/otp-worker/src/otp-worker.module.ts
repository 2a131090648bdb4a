import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/data-source';
import { CHATAPP_JOB_WEIGHT, CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { OTP_JOB_WEIGHT, OTP_QUEUE, type OtpJob } from '@signalbox/queues/otp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { workerConnection } from '@signalbox/queues/queue-connection';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { Bell } from '@signalbox/runtime/bell';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import { WorkerLife, type WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import type { OtpWorkerConfig } from './config.ts';
import { CodeBells } from './code-bells.ts';
import { OtpFlow } from './otp.flow.ts';
import { OtpMaker } from './otp.maker.ts';
import { OtpProcessor } from './otp.processor.ts';
import { OtpUpkeep } from './otp.upkeep.ts';

const SETTLE_EVERY_MS = 1_000;
const STEPS_EVERY_MS = 1_000;
const RESCUE_EVERY_MS = 3_000;
const SWEEP_EVERY_MS = 60_000;
const CODES = Symbol('the producing end of the queue of codes to make');
const CODE_BELL = Symbol('rings for verifications that wait for their code');

@Module({})
export class OtpWorkerModule {
  static with(config: OtpWorkerConfig, logger: Logger): DynamicModule {
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    // A code is on its way to somebody once its row is read: it must not be forgotten after that.
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'otp-worker',
      poolSize: config.DATABASE_POOL_SIZE,
      commit: 'durable' as const,
    };
    const onError = (error: Error): void => logger.warn({ error }, 'queue.unreachable');
    return {
      module: OtpWorkerModule,
      imports: [
        DiscoveryModule,
        BullModule.forRoot(workerConnection(queue)),
        BullModule.registerQueue(), // no queues of its own, but what starts the processors
        TypeOrmModule.forRoot({ ...dataSourceOptions(database), retryDelay: 1_000, retryAttempts: 60 }),
      ],
      providers: [
        { provide: LoggedJobs, useFactory: () => new LoggedJobs(logger) },
        { provide: CODES, useFactory: () => openProducer<OtpJob>(OTP_QUEUE, queue, onError) },
        {
          provide: CODE_BELL,
          inject: [CODES],
          useFactory: (codes: Queue<OtpJob>) => bell(codes, logger, OTP_JOB_WEIGHT, (verifyIds) => codes.add(OTP_QUEUE, { verifyIds })),
        },
        {
          provide: CodeBells,
          useFactory: async () => {
            const sms = await openProducer<SmsJob>(SMS_QUEUE.OTP, queue, onError);
            const chat = await openProducer<ChatappJob>(CHATAPP_QUEUE.CHAT_OTP, queue, onError);
            return new CodeBells({
              sms: bell(sms, logger, SMS_JOB_WEIGHT, (submissionIds) => sms.add(SMS_QUEUE.OTP, { submissionIds })),
              chatapp: bell(chat, logger, CHATAPP_JOB_WEIGHT, (submissionIds) => chat.add(CHATAPP_QUEUE.CHAT_OTP, { submissionIds })),
            });
          },
        },
        {
          provide: OtpMaker,
          inject: [getEntityManagerToken(), CodeBells],
          useFactory: (db: EntityManager, bells: CodeBells) =>
            new OtpMaker(db, new Sealer(...config.secretKeys), config.OTP_PEPPER.split(',')[0]!, bells),
        },
        {
          provide: OtpFlow,
          inject: [getEntityManagerToken(), CodeBells],
          useFactory: (db: EntityManager, bells: CodeBells) => new OtpFlow(db, bells, logger),
        },
        {
          provide: OtpUpkeep,
          inject: [getEntityManagerToken(), CODES, CODE_BELL],
          useFactory: (db: EntityManager, codes: Queue<OtpJob>, codeBell: Bell) => new OtpUpkeep(db, codes, codeBell, logger),
        },
        OtpProcessor,
        { provide: WorkerLife, inject: [ModuleRef], useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref), logger) },
      ],
    };
  }
}

function partsOf(ref: ModuleRef): WorkerParts {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const codes = ref.get<Queue<OtpJob>>(CODES);
  const upkeep = ref.get(OtpUpkeep);
  exposeQueues([codes]);
  return {
    processors: [ref.get(OtpProcessor)],
    repeated: [
      { name: 'settle verifications', everyMs: SETTLE_EVERY_MS, work: () => upkeep.settle() },
      { name: 'take steps', everyMs: STEPS_EVERY_MS, work: () => ref.get(OtpFlow).pass() },
      { name: 'rescue', everyMs: RESCUE_EVERY_MS, work: () => upkeep.rescue() },
      { name: 'sweep verifications', everyMs: SWEEP_EVERY_MS, work: () => upkeep.sweep() },
    ],
    closeInOrder: [ref.get<Bell>(CODE_BELL), ref.get(CodeBells)],
    needs: { database: () => db.query('SELECT 1'), queue: () => codes.count() },
  };
}

/** A bell that closes its queue after its last ring. */
function bell<Job>(queue: Queue<Job>, logger: Logger, maxBatch: number, enqueue: (ids: string[]) => Promise<unknown>): Bell {
  return new Bell({
    enqueue,
    maxBatch,
    onLost: (error, ids) => logger.warn({ queue: queue.name, count: ids.length, error }, 'bell.lost'),
    close: () => closeProducer(queue),
  });
}
