import { runMigrations } from 'bullmq';
import { QueueClient } from './queue-client.ts';
import { isPostgres } from './queue-connection.ts';

/** Creates BullMQ's tables of a queue on Postgres; does nothing on Redis. A repeat changes nothing. */
export async function prepareQueue(queueUrl: string): Promise<void> {
  if (!isPostgres(queueUrl)) return;
  const client = new QueueClient({ connectionString: queueUrl });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
