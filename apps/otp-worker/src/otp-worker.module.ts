import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import { CHATAPP_JOB_WEIGHT, CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { OTP_JOB_WEIGHT, OTP_QUEUE, type OtpJob } from '@signalbox/queues/otp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { type QueueSettings, workerConnection } from '@signalbox/queues/queue-connection';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
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
          useFactory: (codes: Queue<OtpJob>) =>
            queueBell(
              codes,
              {
                maxBatch: OTP_JOB_WEIGHT,
                toJob: (verifyIds) => ({ verifyIds }),
                close: () => closeProducer(codes),
              },
              logger,
            ),
        },
        {
          provide: CodeBells,
          useFactory: () => openCodeBells(queue, logger, onError),
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
          useFactory: (db: EntityManager, codes: Queue<OtpJob>, codeBell: Bell) =>
            new OtpUpkeep(db, codes, codeBell, logger),
        },
        OtpProcessor,
        {
          provide: WorkerLife,
          inject: [ModuleRef],
          useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref), logger),
        },
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

/** Rings the lanes of codes, each in its channel. */
async function openCodeBells(
  settings: QueueSettings,
  logger: Logger,
  onError: (error: Error) => void,
): Promise<CodeBells> {
  const sms = await openProducer<SmsJob>(SMS_QUEUE.OTP, settings, onError);
  const chatapp = await openProducer<ChatappJob>(CHATAPP_QUEUE.CHAT_OTP, settings, onError);
  const toJob = (submissionIds: string[]): SmsJob & ChatappJob => ({ submissionIds });
  return new CodeBells({
    sms: queueBell(sms, { maxBatch: SMS_JOB_WEIGHT, toJob, close: () => closeProducer(sms) }, logger),
    chatapp: queueBell(
      chatapp,
      { maxBatch: CHATAPP_JOB_WEIGHT, toJob, close: () => closeProducer(chatapp) },
      logger,
    ),
  });
}
