import 'reflect-metadata';
import { CALLBACK_QUEUE } from '@signalbox/queues/callback-queue';
import { CHAT_SIMULATOR_QUEUE } from '@signalbox/queues/chat-simulator-queue';
import { CHATAPP_QUEUE } from '@signalbox/queues/chatapp-queue';
import { TEMPLATE_REVIEW_QUEUE } from '@signalbox/queues/template-review-queue';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { ChatappWorkerModule } from './chatapp-worker.module.ts';
import { ChatappWorkerConfig } from './config.ts';

const config = loadConfigOrExit(ChatappWorkerConfig);
const logger = createLogger('chatapp-worker', config.LOG_LEVEL);

const QUEUES = [
  CHATAPP_QUEUE.CHAT_OTP,
  CHATAPP_QUEUE.CHAT,
  CALLBACK_QUEUE,
  CHAT_SIMULATOR_QUEUE,
  TEMPLATE_REVIEW_QUEUE,
];

runMain(logger, () =>
  runWorkerProcess({ module: ChatappWorkerModule.with(config, logger), config, logger, queues: QUEUES }),
);
