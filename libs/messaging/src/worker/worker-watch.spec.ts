import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { WorkerHost } from '@nestjs/bullmq';
import { defineQueue } from '@signalbox/queues/define-queue';
import type { JobQueue } from '@signalbox/queues/job-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { workerConnection } from '@signalbox/queues/queue-connection';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { type Logger, createLogger } from '@signalbox/runtime/logger';
import { setHostClock } from '@signalbox/test/clocks';
import { createDatabase } from '@signalbox/test/database';
import { describeOnEachQueue } from '@signalbox/test/queue';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Job, Worker } from 'bullmq';
import { runLogged } from './run-logged.ts';
import { WorkerWatch } from './worker-watch.ts';

const QUEUE = defineQueue('watched', { rows: 'send', maxWeight: 10 });

describeOnEachQueue((backend) => {
  test('a worker that takes no jobs although some wait is replaced', async () => {
    await using t = await setup(100);
    await t.host.worker.pause(true);

    await t.queue.addJobs(['1'], {});
    await waitFor(async () => (await t.watch.check(), t.done.length === 1), {
      otherwise: 'no worker took the job',
    });

    expect(t.lines).toContainEqual(
      expect.objectContaining({ event: 'worker.silent', queue: 'watched', waiting: 1 }),
    );
  });

  test('a worker that takes its jobs, or has none, is left alone', async () => {
    await using t = await setup(0);
    const { worker } = t.host;
    await t.watch.check();

    await t.queue.addJobs(['1'], {});
    await waitFor(() => t.done.length === 1, { otherwise: 'the job did not run' });
    await t.watch.check();

    expect(t.host.worker).toBe(worker);
    expect(t.lines).not.toContainEqual(expect.objectContaining({ event: 'worker.silent' }));
  });

  async function setup(silentAfterMs: number) {
    await using started = new AsyncDisposableStack();
    const { url } = started.use(await createDatabase());
    const lines: object[] = [];
    const logger = createLogger('test', 'info', {
      write: (line) => void lines.push(JSON.parse(line) as object),
    });
    const { QUEUE_URL, QUEUE_PREFIX } = backend.settings(url);
    const settings = { url: QUEUE_URL, prefix: QUEUE_PREFIX };
    const queues = await Queues.open([QUEUE], settings, logger);
    started.defer(() => queues.close());
    const done: string[] = [];
    class Host extends WorkerHost {
      process(job: Job): Promise<void> {
        return runLogged(logger, job, {}, async () => ({ done: done.push(String(job.id)) }));
      }
    }
    const host = new Host();
    const options = { ...workerConnection(settings), ...WORKER_OPTIONS };
    Object.assign(host, { _worker: new Worker(QUEUE.name, (job) => host.process(job), options) });
    started.defer(() => host.worker.close());
    const queue = queues.get(QUEUE);
    const watch = new WorkerWatch(host, queue, logger, silentAfterMs);
    const all = started.move();
    return { host, queue, watch, done, lines, [Symbol.asyncDispose]: () => all.disposeAsync() };
  }
});

test('a worker is left alone when the clock of the host is set forward', async () => {
  const { watch, events } = watchFake({ name: 'watched forward' }, 600_000);
  await watch.check();

  using _ = setHostClock(3_600_000);
  await watch.check();

  expect(events).toEqual([]);
});

test('a worker that closes is not replaced', async () => {
  const { watch, events } = watchFake({ name: 'closing', closing: Promise.resolve() }, 0);

  await watch.check();

  expect(events).toEqual([]);
});

/** Watches a worker that takes no jobs although one waits. Returns the events that are logged as errors. */
function watchFake(worker: Partial<Worker>, silentAfterMs: number): { watch: WorkerWatch; events: string[] } {
  const events: string[] = [];
  const queue = { countByState: async () => ({ waiting: 1 }), admin: { isPaused: async () => false } };
  const logger = { error: (_fields: object, event: string) => void events.push(event) };
  const watch = new WorkerWatch(
    { worker: Object.assign(new EventEmitter(), worker) } as unknown as WorkerHost,
    queue as unknown as JobQueue,
    logger as Logger,
    silentAfterMs,
  );
  return { watch, events };
}
