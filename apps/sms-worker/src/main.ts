import 'reflect-metadata';
import { LANES } from '@signalbox/domain/lane';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import { SMS_QUEUE } from '@signalbox/queues/sms-queue';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { runMain } from '@signalbox/runtime/run-main';
import { runWorkerProcess } from '@signalbox/runtime/worker-process';
import { SmsWorkerConfig } from './config.ts';
import { SmsWorkerModule } from './sms-worker.module.ts';

const config = loadConfigOrExit(SmsWorkerConfig);
const logger = createLogger('sms-worker', config.LOG_LEVEL);
const gateway = new SimulatorGateway({
  delayMs: config.SIMULATOR_DELAY_MS,
  ratePerSecond: config.SIMULATOR_RATE_PER_SECOND || null,
});

runMain(logger, () =>
  runWorkerProcess({
    module: SmsWorkerModule.with(config, logger, gateway),
    config,
    logger,
    queues: LANES.map((lane) => SMS_QUEUE[lane]),
  }),
);
