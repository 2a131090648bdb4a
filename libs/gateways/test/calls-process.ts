import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookClient } from '../src/webhook-client.ts';

/** Request to the process: concurrent calls, each with a deadline. */
export interface CallsAtOnce {
  url: string;
  count: number;
  totalTimeoutMs: number;
}

export interface CallsMade {
  outcomes: string[];
  longestMs: number;
  /** Peak growth of the process's memory, in MB. */
  grownMb: number;
}

process.on('message', (calls: CallsAtOnce) => void make(calls).then((made) => process.send?.(made)));
process.on('disconnect', () => process.exit());

async function make({ url, count, totalTimeoutMs }: CallsAtOnce): Promise<CallsMade> {
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin: count, totalTimeoutMs });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let highest = before;
  const look = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 5);
  const results = await Promise.all(
    Array.from({ length: count }, () =>
      client.send({ method: 'POST', url, headers: {}, body: '{}', keepsAnswer: true }),
    ),
  );
  await sleep(100); // memory allocated after the calls counts too
  clearInterval(look);
  await client.close();
  const outcomes = new Set(
    results.map(
      ({ ok, error, answer }) => `${ok ? 'ok' : error}, ${answer.length <= 16_384 ? 'bounded' : 'too long'}`,
    ),
  );
  return {
    outcomes: [...outcomes],
    longestMs: Math.max(...results.map(({ durationMs }) => durationMs)),
    grownMb: (highest - before) / 1e6,
  };
}
