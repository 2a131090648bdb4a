import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { QueueClient } from './queue-client.ts';
import { producerConnection } from './queue-connection.ts';

test('a connection that Postgres ends while nobody uses it does not end the process', async () => {
  await using database = await createDatabase();
  await using opened = new AsyncDisposableStack();
  const [client, other] = await Promise.all([1, 2].map(() => connected(database.url, opened)));
  const { rows } = await client!.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');

  const ended = new Promise<void>((resolve) => client!.once('end', resolve));
  await other!.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);

  await ended;
  await expect(client!.query('SELECT 1')).rejects.toThrow('not queryable');
});

test('BullMQ opens its connections to Postgres so', () => {
  const { connection } = producerConnection({ url: 'postgres://127.0.0.1/none', prefix: 'test' });

  expect(connection).toMatchObject({ Client: QueueClient });
});

async function connected(connectionString: string, opened: AsyncDisposableStack): Promise<QueueClient> {
  const client = new QueueClient({ connectionString });
  await client.connect();
  opened.defer(() => client.end());
  return client;
}
