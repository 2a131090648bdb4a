import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { type Logger, createLogger, nestLogger } from '@signalbox/runtime/logger';
import { serveOps } from '@signalbox/runtime/ops-server';
import { runMain } from '@signalbox/runtime/run-main';
import { onShutdown } from '@signalbox/runtime/shutdown';
import { collectDefaultMetrics } from 'prom-client';
import { WorkerLife, WorkerPlan } from './worker-life.ts';

/** A worker process. */
export interface WorkerProgram<Config extends AppConfig> {
  /** Shown in every log line. */
  name: string;
  Config: new () => Config;
  module: { with: (config: Config, logger: Logger) => DynamicModule };
}

/**
 * Runs a worker until SIGTERM or SIGINT: reads its configuration, starts its module, and serves its ops port. A problem with the
 * configuration or the start ends the process with exit code 1.
 */
export function runWorker<Config extends AppConfig>({ name, Config, module }: WorkerProgram<Config>): void {
  const config = loadConfigOrExit(Config);
  const logger = createLogger(name, config.LOG_LEVEL);
  runMain(logger, () => start(module.with(config, logger), config, logger));
}

/** A drain turns readiness off first, then closes the worker, and the ops port last. */
async function start(module: DynamicModule, config: AppConfig, logger: Logger): Promise<void> {
  let isDraining = false;
  collectDefaultMetrics();
  const app = await NestFactory.createApplicationContext(module, {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const life = app.get(WorkerLife, { strict: false });
  const notReady = async (): Promise<string[]> => (isDraining ? ['shutdown'] : life.notReady());
  const ops = await serveOps({ notReady }, config.PORT, config.HOST);
  const queues = app.get(WorkerPlan, { strict: false }).consumes.map((queue) => queue.name);
  logger.info({ port: ops.port, queues }, 'process.started');
  onShutdown(async () => {
    isDraining = true;
    await app.close();
    await ops.close();
  }, logger);
}
