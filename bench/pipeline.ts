import { PipelineRun } from './pipeline-run.ts';
import { type Result, type RunOptions, atLeast, seconds } from './report.ts';
import { startSideProcess } from './side-process.ts';
import { type QueueKind, openStage } from './stage.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;
const MAX_IN_FLIGHT = 128;
const TARGETS: Record<QueueKind, number> = { redis: 5_000, postgres: 2_500 };

/** Accepts SMS until their reports arrive at a webhook, on each queue. */
export async function benchPipeline(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) results.push(...(await onQueue(queue, options)));
  return results;
}

async function onQueue(queue: QueueKind, options: RunOptions): Promise<Result[]> {
  await using stage = await openStage({ apps: APPS, queue, profile: options.profile });
  await using receiver = await startSideProcess('receiver-process.ts');
  await using load = await startSideProcess('load-process.ts');
  await stage.createWebhook(await receiver.ask<string>('url'), MAX_IN_FLIGHT);
  const run = new PipelineRun(stage, load, receiver);
  await run.steady(64, seconds(options, 8)); // warm-up
  const steady = [await run.steady(64, seconds(options, 20)), await run.steady(256, seconds(options, 20))];
  const overload = await run.overload(256, seconds(options, 10));
  const best = Math.max(...steady.map(({ numbers }) => numbers['receivedPerSecond'] ?? 0));
  overload.targets = [atLeast(TARGETS[queue], best, `pipeline: messages per second, ${queue} queue`)];
  return [...steady, overload].map((result) => ({ ...result, name: `pipeline, ${queue} queue, ${result.name}` }));
}
