import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { Queue, Worker } from 'bullmq';
import { createLogger } from '@signalbox/runtime/logger';
import { OTP_QUEUE } from './definitions.ts';
import { JobQueue } from './job-queue.ts';
import { workerConnection } from './queue-connection.ts';

test('a worker whose first connection timed out runs jobs once Postgres answers', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  proxy.set({ isStalled: true });
  const done: unknown[] = [];
  const errors: Error[] = [];
  await using opened = new AsyncDisposableStack();
  const worker = opened.adopt(
    new Worker(
      'jobs',
      async ({ data }) => void done.push(data),
      workerConnection({ url: proxy.url, prefix: 'test' }),
    ),
    (each) => each.close(),
  );
  worker.on('error', (error) => void errors.push(error));
  await waitFor(() => errors.length > 0, { otherwise: 'the connection did not time out' });

  proxy.set({});
  const queue = opened.adopt(
    new Queue('jobs', workerConnection({ url: database.url, prefix: 'test' })),
    (each) => each.close(),
  );
  await queue.add('one', 1);

  await waitFor(() => done.length > 0, { otherwise: 'the job was not run' });
  expect(done).toEqual([1]);
});

test('a producer whose first connection timed out enqueues once Postgres answers', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  proxy.set({ isStalled: true });
  await using opened = new AsyncDisposableStack();
  const settings = { url: proxy.url, prefix: 'test' };
  const queue = opened.adopt(
    await JobQueue.open(OTP_QUEUE, settings, createLogger('test', 'silent')),
    (each) => each.close(),
  );
  await expect(queue.addJobs(['a'], {})).rejects.toThrow('timeout');

  proxy.set({});

  const isAdded = () =>
    queue.addJobs(['b'], {}).then(
      () => true,
      () => false,
    );
  await waitFor(isAdded, { otherwise: 'no job was enqueued' });
});

test('connections of a queue on Postgres that lost their other end are replaced, and jobs run', async () => {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createDatabase());
  const proxy = started.use(await startProxy(database.url));
  const done: unknown[] = [];
  const run = async ({ data }: { data: unknown }) => void done.push(data);
  const worker = started.adopt(
    new Worker('jobs', run, workerConnection({ url: proxy.url, prefix: 'test' })),
    (each) => each.close(),
  );
  worker.on('error', () => undefined);
  const queue = started.adopt(
    new Queue('jobs', workerConnection({ url: database.url, prefix: 'test' })),
    (each) => each.close(),
  );
  await queue.add('first', 1);
  await waitFor(() => done.length === 1, { otherwise: 'the first job was not run' });

  const countHalfOpen = proxy.loseAll();
  await queue.add('second', 2);

  await waitFor(() => done.length === 2, { otherwise: 'the second job was not run' });
  await waitFor(() => countHalfOpen() === 0, { otherwise: 'a connection stays half-open' });
  expect(done).toEqual([1, 2]);
});
