import 'reflect-metadata';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfigOrExit } from '@signalbox/runtime/load-config';
import { type Logger, createLogger, nestLogger } from '@signalbox/runtime/logger';
import { serveOps } from '@signalbox/runtime/ops-server';
import { logOutagesOnce } from '@signalbox/runtime/outage-log';
import { joinProbes } from '@signalbox/runtime/outage-probes';
import { collectProcessMetrics } from '@signalbox/runtime/process-metrics';
import { type CrashCause, runMain } from '@signalbox/runtime/run-main';
import { onShutdown } from '@signalbox/runtime/shutdown';
import { startTracing } from '@signalbox/runtime/start-tracing';
import { awaitDatabase } from './await-database.ts';
import { findCrashSuspect } from './crash-suspect.ts';
import { WorkerLife } from './worker-life.ts';

/** A worker process. */
export interface WorkerProgram<Config extends AppConfig> {
  /** Shown in every log line. */
  name: string;
  Config: new () => Config;
  module: { with: (config: Config, logger: Logger) => DynamicModule };
  /** Finds the cause of an uncaught exception, while it surfaces; by default the gateway whose call threw it. */
  findCrashCause?: (app: INestApplicationContext) => CrashCause | undefined;
}

/**
 * Runs a worker until SIGTERM or SIGINT: reads its configuration, starts its module, and serves its ops port. A problem
 * with the configuration or the start ends the process with exit code 1.
 */
export function runWorker<Config extends AppConfig>(program: WorkerProgram<Config>): void {
  const { name, Config, module, findCrashCause = findCrashSuspect } = program;
  const config = loadConfigOrExit(Config);
  const logger = createLogger(name, config.LOG_LEVEL);
  runMain(logger, async (onCrash) => {
    collectProcessMetrics();
    const endTracing = await startTracing(name, config);
    await awaitDatabase({
      app: name,
      url: config.DATABASE_URL,
      logger,
      port: config.PORT,
      host: config.HOST,
    });
    const { start } = logOutagesOnce(logger);
    const creating = NestFactory.createApplicationContext(module.with(config, logger), {
      logger: nestLogger(logger),
      abortOnError: false,
    });
    const app = await start(creating, (created) => joinProbes(config, lifeOf(created).probes));
    onCrash(() => findCrashCause(app));
    await serve(app, { config, logger, endTracing });
  });
}

/** Opens the ops port, and drains at a signal: readiness off first, then the worker, and the ops port last. */
async function serve(
  app: INestApplicationContext,
  { config, logger, endTracing }: { config: AppConfig; logger: Logger; endTracing: () => Promise<void> },
): Promise<void> {
  let isDraining = false;
  const life = lifeOf(app);
  const notReady = async (): Promise<string[]> => (isDraining ? ['shutdown'] : life.notReady());
  const ops = await serveOps({ notReady }, config.PORT, config.HOST);
  logger.info({ port: ops.port, queues: life.queues }, 'process.started');
  onShutdown(async () => {
    isDraining = true;
    await app.close();
    await endTracing();
    await ops.close();
  }, logger);
}

function lifeOf(app: INestApplicationContext): WorkerLife {
  return app.get(WorkerLife, { strict: false });
}
