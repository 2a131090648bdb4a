import { runMigrations } from 'bullmq';
import pg from 'pg';
import { isPostgres } from './queue-connection.ts';

/** Makes a queue ready for use: on Postgres BullMQ's own tables, on Redis nothing. Harmless to repeat. */
export async function prepareQueue(queueUrl: string): Promise<void> {
  if (!isPostgres(queueUrl)) return;
  const client = new pg.Client({ connectionString: queueUrl });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
