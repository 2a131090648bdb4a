import 'reflect-metadata';
import { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { OtpWorkerModule } from './otp-worker.module.ts';

const config = loadConfigOrExit(AppConfig);
const logger = createLogger('otp-worker', config.LOG_LEVEL);

runMain(logger, () => runWorkerProcess({ module: OtpWorkerModule.with(config, logger), config, logger, queues: [] }));
