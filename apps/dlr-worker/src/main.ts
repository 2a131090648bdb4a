import 'reflect-metadata';
import { REPORT_QUEUE } from '@signalbox/queues/report-queue';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { DlrWorkerConfig } from './config.ts';
import { findCrashCause } from './crash-cause.ts';
import { DlrWorkerModule } from './dlr-worker.module.ts';

const config = loadConfigOrExit(DlrWorkerConfig);
const logger = createLogger('dlr-worker', config.LOG_LEVEL);

runMain(logger, (onCrash) =>
  runWorkerProcess({
    module: DlrWorkerModule.with(config, logger),
    config,
    logger,
    queues: [REPORT_QUEUE],
    onCreated: (app) => onCrash(() => findCrashCause(app)),
  }),
);
