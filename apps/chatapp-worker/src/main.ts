import 'reflect-metadata';
import { CALLBACK_QUEUE } from '@signalbox/queues/callback-queue';
import { TEMPLATE_REVIEW_QUEUE } from '@signalbox/queues/template-review-queue';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { ChatappWorkerModule } from './chatapp-worker.module.ts';
import { ChatappWorkerConfig } from './config.ts';

const config = loadConfigOrExit(ChatappWorkerConfig);
const logger = createLogger('chatapp-worker', config.LOG_LEVEL);

runMain(logger, () =>
  runWorkerProcess({ module: ChatappWorkerModule.with(config, logger), config, logger, queues: [TEMPLATE_REVIEW_QUEUE, CALLBACK_QUEUE] }),
);
