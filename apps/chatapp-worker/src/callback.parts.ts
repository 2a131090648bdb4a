import type { Provider } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { CALLBACK_JOB_WEIGHT, CALLBACK_QUEUE, type CallbackJob } from '@signalbox/queues/callback-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import type { WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import { CallbackProcessor } from './callback.processor.ts';
import { CallbackReader } from './callback.reader.ts';
import { CallbackUpkeep } from './callback.upkeep.ts';
import { DURABLE } from './durable.ts';
import { REPORT_BELL } from './report-bell.ts';

const RESCUE_EVERY_MS = 3_000;
const SWEEP_EVERY_MS = 60_000;
/** The producing end of the callback queue. */
export const CALLBACKS = Symbol('the producing end of the callback queue');

/** What takes callbacks in and reads them. */
export function callbackProviders(queue: QueueSettings, logger: Logger): Provider[] {
  const onError = (error: Error): void => logger.warn({ queue: CALLBACK_QUEUE, error }, 'queue.unreachable');
  return [
    { provide: CALLBACKS, useFactory: () => openProducer<CallbackJob>(CALLBACK_QUEUE, queue, onError) },
    {
      provide: CallbackIntake,
      inject: [getEntityManagerToken(DURABLE), CALLBACKS],
      useFactory: (durable: EntityManager, callbacks: Queue<CallbackJob>) =>
        new CallbackIntake((received) => insertCallbacks(durable, received), callbackBell(callbacks, logger)),
    },
    {
      provide: CallbackReader,
      inject: [getEntityManagerToken(), REPORT_BELL],
      useFactory: (db: EntityManager, reports: Bell) => new CallbackReader(db, reports, logger),
    },
    CallbackProcessor,
  ];
}

/** Their part in the worker's life; what feeds the intake closes before it. */
export function callbackWork(ref: ModuleRef, logger: Logger): Omit<WorkerParts, 'needs'> {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const callbacks: Queue<CallbackJob> = ref.get(CALLBACKS);
  exposeQueues([callbacks]);
  const upkeep = new CallbackUpkeep(db, callbacks, ref.get(CallbackIntake), logger);
  return {
    processors: [ref.get(CallbackProcessor)],
    repeated: [
      { name: 'rescue callbacks', everyMs: RESCUE_EVERY_MS, work: () => upkeep.rescue() },
      { name: 'sweep callbacks', everyMs: SWEEP_EVERY_MS, work: () => upkeep.sweep() },
    ],
    closeInOrder: [ref.get(CallbackIntake)],
  };
}

function callbackBell(queue: Queue<CallbackJob>, logger: Logger): Bell {
  return queueBell(
    queue,
    {
      maxBatch: CALLBACK_JOB_WEIGHT,
      toJob: (callbackIds) => ({ callbackIds }),
      close: () => closeProducer(queue),
    },
    logger,
  );
}
