import { expect, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from '@signalbox/messaging/worker/worker.module';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { type QueueBackend, describeOnEachQueue, openQueue } from '@signalbox/test/queue';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, STORE_STARTED, runThirdTime, withWorker } from '@signalbox/test/started-rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { reportProcessor } from './report.processor.ts';
import { ReportSettler } from './report-settler.ts';

const { db } = await openSharedRows();

test('a job that runs for the third time settles its reports one by one, and counts each', async () => {
  const [queue] = Object.values(REPORT_QUEUES);
  const ReportProcessor = reportProcessor(queue!, 1);
  const logger = createLogger('test', 'silent');
  const third = await runThirdTime(
    db,
    'message_event',
    (settle) => new ReportProcessor({ settle }, db, logger),
  );
  expect(third).toEqual(ONE_BY_ONE);
});

test('a job that settles its reports one by one leaves room for another', async () => {
  const [queue] = Object.values(REPORT_QUEUES);
  const slow = await STORE_STARTED.message_event(db);
  const end = Promise.withResolvers<object>();
  const settle = (ids: string[]): Promise<object> =>
    ids.includes(slow[0]) ? end.promise : Promise.resolve({});
  const ReportProcessor = reportProcessor(queue!, slow.length);
  const processor = withWorker(new ReportProcessor({ settle }, db, createLogger('test', 'silent')));
  const run = (ids: string[], attemptsStarted: number): Promise<unknown> =>
    processor.process({ data: { ids }, attemptsStarted, attemptsMade: 0, timestamp: Date.now() } as never);

  const ended: string[] = [];

  const first = run(slow, 3).then(() => ended.push('first'));
  await run(['another'], 1).then(() => ended.push('another'));
  end.resolve({});
  await first;

  expect(ended).toEqual(['another', 'first']);
});

describeOnEachQueue((backend) => {
  test('a job that waits goes back to its queue when the worker closes, and runs as new', async () => {
    await using t = await openWorkers(backend);
    const first = await t.start();
    await t.queue.addJobs(['running'], {});
    await waitFor(() => first.settled.length === 1);
    await t.queue.addJobs(['waiting'], {});
    await t.untilCounts({ waiting: 0, active: 2 });

    const closed = first.close();
    await t.untilCounts({ waiting: 1, active: 1 });
    first.end();
    await closed;

    expect(first.settled).toEqual([['running']]);
    const second = await t.start();
    second.end();
    await t.untilCounts({ waiting: 0, active: 0 });
    expect(second.settled).toEqual([['waiting']]);
    expect(second.lines.filter(({ event }) => event === 'job.attempted')).toMatchObject([
      { outcome: 'done', attempt: 1 },
    ]);
  });
});

@Module({})
class TestWorkerModule {}

/** Workers of a queue of reports that have room for one report; their reports settle once the test ends them. */
async function openWorkers(backend: QueueBackend) {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await createDatabase());
  const settings = backend.settings(url);
  const SECRETS_KEY = Buffer.alloc(32).toString('base64');
  const config = loadConfig(AppConfig, { DATABASE_URL: url, ...settings, PORT: '0', SECRETS_KEY });
  const definition = REPORT_QUEUES.OTHER;
  const queue = opened.adopt(await openQueue(definition, settings), (each) => each.close());
  const all = opened.move();
  const start = async () => {
    const settled: string[][] = [];
    const lines: { event: string }[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = async (ids: string[]): Promise<object> => (settled.push(ids), await promise, {});
    const logger = createLogger('test', 'info', {
      write: (line) => void lines.push(JSON.parse(line) as { event: string }),
    });
    const worker = WorkerModule.with({
      name: 'test',
      config,
      logger,
      commits: ['asynchronous'],
      consumes: [definition],
      duties: [],
      closeInOrder: [],
    });
    const providers = [reportProcessor(definition, 1), { provide: ReportSettler, useValue: { settle } }];
    const module = { module: TestWorkerModule, imports: [worker], providers };
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    all.defer(() => (resolve(), app.close()));
    return { settled, lines, end: resolve, close: () => app.close() };
  };
  const untilCounts = (expected: { waiting: number; active: number }): Promise<void> =>
    waitFor(
      async () => {
        const counts = await queue.countByState('waiting', 'active');
        return counts['waiting'] === expected.waiting && counts['active'] === expected.active;
      },
      { timeoutMs: 20_000 },
    );
  return { queue, start, untilCounts, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
