import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { Queue, Worker } from 'bullmq';
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
