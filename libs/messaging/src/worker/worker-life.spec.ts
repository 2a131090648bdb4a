import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { openDataSource } from '@signalbox/database/core/data-source';
import { defineQueue } from '@signalbox/queues/define-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { A_QUEUE } from '@signalbox/test/queue';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type DataSource, EntityManager } from 'typeorm';
import { WorkerLife, type WorkerPlanOptions } from './worker-life.ts';
import { WorkerModule } from './worker.module.ts';

const QUEUE = defineQueue('life', { rows: 'send', maxWeight: 10 });

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

  const t = await setup([Store, SlowProcessor], { closeInOrder: [Store] });
  expect(await t.app.get(WorkerLife, { strict: false }).notReady()).toEqual([]);
  await t.app.get(Queues, { strict: false }).get(QUEUE).addJobs(['1'], {});
  await started.promise;
  await t.close();

  expect(events).toEqual(['job ended', 'store closed']);
});

test('a provider that fails to close keeps no other from closing', async () => {
  const closed: string[] = [];

  @Injectable()
  class Failing {
    close = (): Promise<void> => Promise.reject(new Error('planted'));
  }

  @Injectable()
  class Store {
    close = async (): Promise<void> => void closed.push('store');
  }

  @Processor(QUEUE.name)
  class IdleProcessor extends WorkerHost {
    async process(): Promise<void> {}
  }

  const t = await setup([Failing, Store, IdleProcessor], { closeInOrder: [Failing, Store] });

  await t.close();

  expect(closed).toEqual(['store']);
});

test('a worker that shuts down takes no jobs while a duty ends, which all providers wait for', async () => {
  const events: string[] = [];
  const [began, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

  @Injectable()
  class Store {
    close = async (): Promise<void> => void events.push('store closed');
  }

  @Processor(QUEUE.name)
  class IdleProcessor extends WorkerHost {
    async process(): Promise<void> {}
  }

  const run = async (): Promise<void> => {
    began.resolve();
    await mayEnd.promise;
    events.push('duty ended');
  };
  const duties = [{ name: 'long', everyMs: 1, run }];
  const t = await setup([Store, IdleProcessor], { duties, closeInOrder: [Store] });
  await began.promise;
  const { worker } = t.app.get(IdleProcessor);

  const closed = t.close();
  try {
    await waitFor(() => worker.closing !== undefined, { otherwise: 'the worker takes jobs' });
  } finally {
    mayEnd.resolve();
    await closed;
  }

  expect(events).toEqual(['duty ended', 'store closed']);
});

test('a worker stays in its fleet until everything that uses its share is closed', async () => {
  const mayClose = Promise.withResolvers<void>();

  @Injectable()
  class Calls {
    close = (): Promise<void> => mayClose.promise;
  }

  @Processor(QUEUE.name)
  class IdleProcessor extends WorkerHost {
    async process(): Promise<void> {}
  }

  const t = await setup([Calls, IdleProcessor], { closeInOrder: [Calls] });
  const admin = await t.openAdmin();
  const { worker } = t.app.get(IdleProcessor);
  const closed = t.app.close();
  try {
    await waitFor(() => worker.closing !== undefined);
    await admin.query('UPDATE live_worker SET seen_at = to_timestamp(0)');
    const hasBeaten = async () =>
      (await admin.query('SELECT FROM live_worker WHERE seen_at > to_timestamp(0)')).length > 0;
    await waitFor(hasBeaten, { otherwise: 'no heartbeat' });
  } finally {
    mayClose.resolve();
    await closed;
  }

  expect(await admin.query('SELECT FROM live_worker')).toEqual([]);
  await t.close();
});

test('a worker whose database refuses writes is not ready until it accepts them again', async () => {
  @Processor(QUEUE.name)
  class IdleProcessor extends WorkerHost {
    async process(): Promise<void> {}
  }
  const t = await setup([IdleProcessor]);
  const db = t.app.get(EntityManager);
  const notReady = () => t.app.get(WorkerLife, { strict: false }).notReady();
  const admin = await t.openAdmin();
  const setting = `ALTER DATABASE ${new URL(t.url).pathname.slice(1)} SET default_transaction_read_only`;

  await admin.query(`${setting} = on`);
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await waitFor(
    () =>
      db.query('SELECT').then(
        () => true,
        () => false,
      ),
    { otherwise: 'no reconnect' },
  );
  expect(await notReady()).toEqual(['database']);

  await admin.query(`${setting} = off`);
  await waitFor(async () => (await notReady()).length === 0, {
    otherwise: 'not ready again',
  });
  await t.close();
});

@Module({})
class TestWorkerModule {}

async function setup(
  providers: Provider[],
  { duties = [], closeInOrder = [] }: Partial<Pick<WorkerPlanOptions, 'duties' | 'closeInOrder'>> = {},
) {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await createDatabase());
  const [SECRETS_KEY, silent] = [Buffer.alloc(32).toString('base64'), createLogger('test', 'silent')];
  const environment = { DATABASE_URL: url, ...A_QUEUE.settings(url), PORT: '0', SECRETS_KEY };
  const worker = WorkerModule.with({
    name: 'test',
    config: loadConfig(AppConfig, environment),
    logger: silent,
    commits: ['asynchronous'],
    fleet: 'test',
    consumes: [QUEUE],
    duties,
    closeInOrder,
  });
  const app = await NestFactory.createApplicationContext(
    { module: TestWorkerModule, imports: [worker], providers },
    { logger: false, abortOnError: false },
  );
  started.defer(() => app.close());
  const openAdmin = async (): Promise<DataSource> => {
    const options = { url, applicationName: 'admin', poolSize: 1, commit: 'durable' } as const;
    const admin = await openDataSource(options);
    all.defer(() => admin.destroy());
    return admin;
  };
  const all = started.move();
  return { app, url, openAdmin, close: () => all.disposeAsync() };
}
