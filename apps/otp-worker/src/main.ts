import 'reflect-metadata';
import { OTP_QUEUE } from '@signalbox/queues/otp-queue';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { OtpWorkerConfig } from './config.ts';
import { OtpWorkerModule } from './otp-worker.module.ts';

const config = loadConfigOrExit(OtpWorkerConfig);
const logger = createLogger('otp-worker', config.LOG_LEVEL);

runMain(logger, () =>
  runWorkerProcess({ module: OtpWorkerModule.with(config, logger), config, logger, queues: [OTP_QUEUE] }),
);
