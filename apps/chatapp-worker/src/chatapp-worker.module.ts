import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { TypeOrmModule, getEntityManagerToken } from '@nestjs/typeorm';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { openMediaStore } from '@signalbox/gateways/media/open-media-store';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { workerConnection } from '@signalbox/queues/queue-connection';
import {
  TEMPLATE_REVIEW_JOB_WEIGHT,
  TEMPLATE_REVIEW_QUEUE,
  type TemplateReviewJob,
} from '@signalbox/queues/template-review-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { WorkerLife, type WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import { callbackProviders, callbackWork } from './callback.parts.ts';
import { sendingProviders, sendingWork } from './chatapp.parts.ts';
import { ChatappRescuer } from './chatapp.rescuer.ts';
import type { ChatappWorkerConfig } from './config.ts';
import { DURABLE } from './durable.ts';
import { MediaSweeper } from './media.sweeper.ts';
import { REPORT_BELL, reportProviders } from './report-bell.ts';
import { TemplateReviewProcessor } from './template-review.processor.ts';
import { TemplateReviewer } from './template.reviewer.ts';

/** A database that is still starting is waited for. */
const PATIENCE = { retryDelay: 1_000, retryAttempts: 60 };
const RESCUE_EVERY_MS = 3_000;
const SWEEP_EVERY_MS = 60_000;
const REVIEWS = Symbol('the producing end of the review queue');

@Module({})
export class ChatappWorkerModule {
  static with(config: ChatappWorkerConfig, logger: Logger): DynamicModule {
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    const database = {
      url: config.DATABASE_URL,
      applicationName: 'chatapp-worker',
      poolSize: config.DATABASE_POOL_SIZE,
    };
    return {
      module: ChatappWorkerModule,
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
          provide: TemplateReviewer,
          inject: [getEntityManagerToken()],
          useFactory: (db: EntityManager) => new TemplateReviewer(db, config.TEMPLATE_REVIEW),
        },
        {
          provide: MediaStore,
          useFactory: () => openMediaStore({ folder: config.MEDIA_DIR, s3Url: config.MEDIA_S3_URL }),
        },
        TemplateReviewProcessor,
        ...reportProviders(queue, logger),
        ...callbackProviders(queue, logger),
        ...sendingProviders(config, queue, logger),
        {
          provide: REVIEWS,
          useFactory: async () => {
            const reviews = await openProducer<TemplateReviewJob>(TEMPLATE_REVIEW_QUEUE, queue, (error) =>
              logger.warn({ error }, 'queue.unreachable'),
            );
            exposeQueues([reviews]);
            return reviews;
          },
        },
        {
          provide: WorkerLife,
          inject: [ModuleRef],
          useFactory: (ref: ModuleRef) => new WorkerLife(() => partsOf(ref, config, logger), logger),
        },
      ],
    };
  }
}

/** Where people review, a template may wait for as long as they take. */
function partsOf(ref: ModuleRef, config: ChatappWorkerConfig, logger: Logger): WorkerParts {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const reviews: Queue<TemplateReviewJob> = ref.get(REVIEWS);
  const bell = reviewBell(reviews, logger);
  const rescuer = new ChatappRescuer(db, reviews, bell, logger);
  const sweeper = new MediaSweeper(db, ref.get(MediaStore), logger);
  const sweep = { name: 'sweep media', everyMs: SWEEP_EVERY_MS, work: () => sweeper.sweep() };
  const rescue = { name: 'rescue', everyMs: RESCUE_EVERY_MS, work: () => rescuer.rescue() };
  const [sending, callbacks] = [sendingWork(ref, logger), callbackWork(ref, logger)];
  return {
    processors: [ref.get(TemplateReviewProcessor), ...sending.processors, ...callbacks.processors],
    repeated: [
      ...(config.TEMPLATE_REVIEW === 'auto' ? [sweep, rescue] : [sweep]),
      ...sending.repeated,
      ...callbacks.repeated,
    ],
    closeInOrder: [bell, ...sending.closeInOrder, ...callbacks.closeInOrder, ref.get(REPORT_BELL)],
    needs: { database: () => db.query('SELECT 1'), queue: () => reviews.count() },
  };
}

function reviewBell(queue: Queue<TemplateReviewJob>, logger: Logger): Bell {
  return queueBell(
    queue,
    {
      maxBatch: TEMPLATE_REVIEW_JOB_WEIGHT,
      toJob: (templateIds) => ({ templateIds }),
      close: () => closeProducer(queue),
    },
    logger,
  );
}
