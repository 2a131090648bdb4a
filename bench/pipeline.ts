import { templateMessages } from './chat-load.ts';
import { PipelineRun } from './pipeline-run.ts';
import { type Result, type RunOptions, atLeast, seconds } from './report.ts';
import { startSideProcess } from './side-process.ts';
import { singleSms } from './single-sms.ts';
import { type QueueKind, openStage } from './stage.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;
const MAX_IN_FLIGHT = 128;
const TARGETS: Record<QueueKind, number> = { redis: 5_000, postgres: 2_500 };

const CHAT_APPS = ['api', 'chatapp-worker', 'dlr-worker'] as const;
const CHAT_TARGET = 2_500;

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
  await stage.createWebhook({ endPoint: await receiver.ask<string>('url'), maxInFlight: MAX_IN_FLIGHT });
  const run = new PipelineRun(stage, load, receiver, {
    request: singleSms(stage.stack.apiUrl, stage.stack.apiKey),
    pushesPerMessage: 1,
  });
  await run.steady(64, seconds(options, 8)); // warm-up
  const steady = [await run.steady(64, seconds(options, 20)), await run.steady(256, seconds(options, 20))];
  const overload = await run.overload(256, seconds(options, 10));
  const best = Math.max(...steady.map(({ numbers }) => numbers['receivedPerSecond'] ?? 0));
  overload.targets = [atLeast(TARGETS[queue], best, `pipeline: messages per second, ${queue} queue`)];
  return [...steady, overload].map((result) => ({
    ...result,
    name: `pipeline, ${queue} queue, ${result.name}`,
  }));
}

/**
 * Accepts chat-app messages made of a template until Sent, Delivered and Read of each arrived at a webhook, on each
 * queue.
 */
export async function benchChatPipeline(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) results.push(...(await chatOnQueue(queue, options)));
  return results;
}

async function chatOnQueue(queue: QueueKind, options: RunOptions): Promise<Result[]> {
  await using stage = await openStage({ apps: CHAT_APPS, queue, profile: options.profile });
  await using receiver = await startSideProcess('receiver-process.ts');
  await using load = await startSideProcess('load-process.ts');
  const endPoint = await receiver.ask<string>('url');
  await stage.createWebhook({
    endPoint,
    maxInFlight: MAX_IN_FLIGHT,
    channel: 'chatapp',
    events: ['message.status'],
  });
  const run = new PipelineRun(stage, load, receiver, {
    request: await templateMessages(stage),
    pushesPerMessage: 3,
  });
  await run.steady(64, seconds(options, 8)); // warm-up
  const steady = await run.steady(256, seconds(options, 20));
  const overload = await run.overload(256, seconds(options, 10));
  const best = steady.numbers['receivedPerSecond'] ?? 0;
  overload.targets = [
    atLeast(CHAT_TARGET, best, `pipeline-chat: messages per second to three pushes each, ${queue} queue`),
  ];
  return [steady, overload].map((result) => ({
    ...result,
    name: `pipeline-chat, ${queue} queue, ${result.name}`,
  }));
}
