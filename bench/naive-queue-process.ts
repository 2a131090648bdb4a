import { type Job, Worker } from 'bullmq';
import { Agent, request } from 'undici';
import { answerCommands } from './side-process.ts';

/** One call of a webhook, as a job. */
export interface NaiveJob {
  url: string;
  body: string;
}

const DEADLINE_MS = 15_000;

let worker: Worker<NaiveJob> | undefined;

/** The usual first design: one queue, a job per call, retried by the queue. */
answerCommands({
  start: async ({
    queue,
    redisUrl,
    concurrency,
  }: {
    queue: string;
    redisUrl: string;
    concurrency: number;
  }) => {
    const dispatcher = new Agent({ connections: 256 });
    const call = async ({ data }: Job<NaiveJob>): Promise<void> => {
      const { statusCode, body } = await request(data.url, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: data.body,
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      await body.dump();
      if (statusCode >= 300) throw new Error(`answered ${statusCode}`);
    };
    worker = new Worker(queue, call, {
      connection: { url: redisUrl, maxRetriesPerRequest: null },
      concurrency,
    });
    worker.on('error', () => undefined);
    await worker.waitUntilReady();
  },
  stop: () => worker?.close(true),
});
