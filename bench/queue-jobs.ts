import { producerConnection } from '@signalbox/queues/queue-connection';
import { Queue } from 'bullmq';
import type { CountJobs } from './breakdown.ts';

const PREFIX = 'signalbox';

/** Names a queue that the bench opens for its connection; nothing is ever added to it. */
const NAME = 'bench-count';

/**
 * Counts the jobs of all queues on a Redis, where every queue numbers its jobs. A queue on Postgres is counted with the
 * rows of its table.
 */
export async function openJobCount(
  queueUrl: string,
): Promise<{ countJobs: CountJobs; close: () => Promise<void> }> {
  if (!queueUrl.startsWith('redis'))
    return { countJobs: () => Promise.resolve(0), close: () => Promise.resolve() };
  const queue = new Queue(NAME, producerConnection({ url: queueUrl, prefix: PREFIX }));
  await queue.waitUntilReady();
  const client = (await queue.getBackend().client) as unknown as Keys;
  const countJobs = async (): Promise<number> => {
    const keys = (await client.keys(`${PREFIX}:*:id`)).filter((key) => key.split(':').length === 3);
    const counts = keys.length === 0 ? [] : await client.mget(keys);
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  };
  return { countJobs, close: () => queue.close() };
}

interface Keys {
  keys: (pattern: string) => Promise<string[]>;
  mget: (keys: string[]) => Promise<(string | null)[]>;
}
