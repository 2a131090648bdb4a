import { WorkerHost } from '@nestjs/bullmq';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, NestFactory } from '@nestjs/core';
import { collectDefaultMetrics } from 'prom-client';
import type { AppConfig } from './app-config.ts';
import { type Logger, nestLogger } from './logger.ts';
import { serveOps } from './ops-server.ts';
import { onShutdown } from './shutdown.ts';
import { WorkerLife } from './worker-life.ts';

export interface WorkerProcess {
  module: DynamicModule;
  config: Pick<AppConfig, 'PORT' | 'HOST'>;
  logger: Logger;
  /** The queues this process must serve, each by one processor. */
  queues: readonly string[];
  /** Called with its context as soon as that exists. */
  onCreated?: (app: INestApplicationContext) => void;
}

/**
 * Runs a worker app: its Nest context, its ops port, and a drain at SIGTERM (readiness off, jobs under way finished, then exit).
 *
 * @throws Error when a queue has no processor, or two
 */
export async function runWorkerProcess({
  module,
  config,
  logger,
  queues,
  onCreated,
}: WorkerProcess): Promise<void> {
  let draining = false;
  collectDefaultMetrics();
  const app = await NestFactory.createApplicationContext(module, {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  onCreated?.(app);
  assertServed(app, queues);
  const life = app.get(WorkerLife, { strict: false });
  const ops = await serveOps(
    { notReady: async () => (draining ? ['shutdown'] : life.notReady()) },
    config.PORT,
    config.HOST,
  );
  logger.info({ port: ops.port, queues }, 'process.started');
  onShutdown(async () => {
    draining = true;
    await app.close();
    await ops.close();
  }, logger);
}

function assertServed(app: INestApplicationContext, queues: readonly string[]): void {
  const served = app
    .get(DiscoveryService, { strict: false })
    .getProviders()
    .flatMap(({ instance }) => (instance instanceof WorkerHost ? [instance.worker.name] : []));
  for (const queue of queues) {
    const count = served.filter((name) => name === queue).length;
    if (count !== 1)
      throw new Error(`queue ${queue} must have one processor in this process, and has ${count}`);
  }
}
