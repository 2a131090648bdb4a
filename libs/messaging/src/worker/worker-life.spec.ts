import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineQueue } from '@signalbox/queues/define-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { A_QUEUE } from '@signalbox/test/queue';
import { WorkerLife } from './worker-life.ts';
import { WorkerModule } from './worker.module.ts';

const QUEUE = defineQueue('life', { maxWeight: 10 });

test('a worker is ready, and drains its job before it closes what the job uses', async () => {
  const events: string[] = [];
  const started = Promise.withResolvers<void>();

  @Injectable()
  class Store {
    close = async (): Promise<void> => void events.push('store closed');
  }

  @Processor(QUEUE.name)
  class SlowProcessor extends WorkerHost {
    async process(): Promise<void> {
      started.resolve();
      await sleep(300);
      events.push('job ended');
    }
  }

  const t = await setup([Store, SlowProcessor], Store);
  expect(await t.app.get(WorkerLife, { strict: false }).notReady()).toEqual([]);
  await t.app.get(Queues, { strict: false }).get(QUEUE).addJobs(['1'], {});
  await started.promise;
  await t.close();

  expect(events).toEqual(['job ended', 'store closed']);
});

@Module({})
class TestWorkerModule {}

async function setup(providers: Provider[], ...closeInOrder: (new () => { close: () => Promise<void> })[]) {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await createDatabase());
  const [SECRETS_KEY, silent] = [Buffer.alloc(32).toString('base64'), createLogger('test', 'silent')];
  const environment = { DATABASE_URL: url, ...A_QUEUE.settings(url), PORT: '0', SECRETS_KEY };
  const worker = WorkerModule.with({
    name: 'test',
    config: loadConfig(AppConfig, environment),
    logger: silent,
    commits: ['repeatable'],
    fleet: 'test',
    consumes: [QUEUE],
    duties: [],
    closeInOrder,
  });
  const app = await NestFactory.createApplicationContext(
    { module: TestWorkerModule, imports: [worker], providers },
    { logger: false, abortOnError: false },
  );
  started.defer(() => app.close());
  const all = started.move();
  return { app, close: () => all.disposeAsync() };
}
