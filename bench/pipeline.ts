import { setTimeout as sleep } from 'node:timers/promises';
import { microsOf } from './breakdown.ts';
import { templateMessages } from './chat-load.ts';
import { NoopTurns } from './noop.ts';
import { PipelineRun, type PipelineWorkload, type Turn, resultOf } from './pipeline-run.ts';
import { type Result, type RunOptions, atLeast, atMost, seconds } from './report.ts';
import { startSideProcess } from './side-process.ts';
import { singleSms } from './single-sms.ts';
import { type QueueKind, type Stage, type StageOptions, openStage } from './stage.ts';

const MAX_IN_FLIGHT = 128;
const ROUNDS = 4;

/** Of the rate of the closed loop. */
const HALF = 0.5;

/**
 * Seconds at half of the rate before it is measured, not scaled: until then Postgres still counts the messages of the
 * closed loop for the statistics, each minute twice.
 */
const SETTLE_SECONDS = 120;

/** Connections with which the no-op route is loaded. */
const NOOP_CONNECTIONS = 64;

/** A warm-up ends after this many messages, or this many seconds: the first of a process cost twice as much. */
const WARM_UP_MESSAGES = 100_000;
const WARM_UP_SECONDS = 60;

/** A kind of message with the apps that it passes. */
export interface Pipeline {
  name: string;
  apps: StageOptions['apps'];
  webhook: { channel?: string; events?: string[]; batch?: { max: number; waitMs: number } };
  workload: (stage: Stage) => Promise<PipelineWorkload>;
  targets: Record<QueueKind, number>;
  targetNu: number;
  /** Rate of 64 connections relative to the no-op route. */
  targetOfNoop?: number;
  /** Milliseconds from acceptance to receipt at half the rate. */
  targetHalfP99Ms?: number;
}

export const SMS: Pipeline = {
  name: 'pipeline',
  apps: ['api', 'sms-worker', 'dlr-worker'],
  webhook: {},
  workload: ({ stack }) =>
    Promise.resolve({ request: singleSms(stack.apiUrl, stack.apiKey), pushesPerMessage: 1 }),
  targets: { redis: 5_000, postgres: 2_500 },
  targetNu: 3,
  targetOfNoop: 0.55,
  targetHalfP99Ms: 100,
};

const BATCHED: Pipeline = {
  name: 'pipeline-batched',
  apps: SMS.apps,
  webhook: { batch: { max: 100, waitMs: 100 } },
  workload: SMS.workload,
  targets: SMS.targets,
  targetNu: 2.4,
};

const CHAT: Pipeline = {
  name: 'pipeline-chat',
  apps: ['api', 'chatapp-worker', 'dlr-worker'],
  webhook: { channel: 'chatapp', events: ['message.status'] },
  workload: async (stage) => ({ request: await templateMessages(stage), pushesPerMessage: 3 }),
  targets: { redis: 2_500, postgres: 2_500 },
  targetNu: 7,
};

/** Accepts SMS until their reports arrive at a webhook, on each queue. */
export function benchPipeline(options: RunOptions): Promise<Result[]> {
  return benchEach(SMS, options);
}

/** Accepts SMS until their reports arrive at a webhook that takes batches. */
export function benchBatchedPipeline(options: RunOptions): Promise<Result[]> {
  return benchEach(BATCHED, options);
}

/**
 * Accepts chat-app messages made of a template until Sent, Delivered and Read of each arrived at a webhook, on each
 * queue.
 */
export function benchChatPipeline(options: RunOptions): Promise<Result[]> {
  return benchEach(CHAT, options);
}

async function benchEach(pipeline: Pipeline, options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) results.push(...(await onQueue(pipeline, queue, options)));
  return results;
}

/** A stage with its traffic. */
export interface Side extends AsyncDisposable {
  label: string;
  stage: Stage;
  run: PipelineRun;
}

/** Starts a stage with its traffic, whose webhook is the receiver. */
export async function openSide(
  { apps, webhook, workload }: Pipeline,
  options: Pick<StageOptions, 'queue' | 'profile' | 'logLevel' | 'checkout'>,
): Promise<Side> {
  await using opened = new AsyncDisposableStack();
  const stage = opened.use(await openStage({ apps, ...options }));
  const traffic = opened.use(await startSideProcess('traffic-process.ts'));
  const endPoint = await traffic.ask<string>('url');
  await stage.createWebhook({ endPoint, maxInFlight: MAX_IN_FLIGHT, ...webhook });
  const run = new PipelineRun(stage, traffic, await workload(stage));
  const everything = opened.move();
  const label = options.checkout === undefined ? '' : ` of ${options.checkout}`;
  return { label, stage, run, [Symbol.asyncDispose]: () => everything.disposeAsync() };
}

/**
 * Alternates the closed loops of one or two checkouts with the no-op route. Then loads each with half its rate, and at
 * last overloads it.
 */
async function onQueue(pipeline: Pipeline, queue: QueueKind, options: RunOptions): Promise<Result[]> {
  await using opened = new AsyncDisposableStack();
  const { profile, logLevel, against, timeScale } = options;
  const sides: Side[] = [];
  for (const checkout of against === undefined ? [undefined] : [undefined, against])
    sides.push(opened.use(await openSide(pipeline, { queue, profile, logLevel, checkout })));
  const noop = opened.use(await NoopTurns.start(sides[0]!.stage.stack.apiKey, options.unit));
  await noop.warmUp(seconds(options, 20));
  for (const { run } of sides)
    await run.warmUp(64, seconds(options, WARM_UP_SECONDS), WARM_UP_MESSAGES * timeScale);
  const turns = await takeTurns(sides, noop, options);
  const results = sides.flatMap(({ label }, side) =>
    options.connections.map((connections) =>
      resultOf(
        `${connections} connections, closed loop${label}`,
        turns.get(`${side} ${connections}`) ?? [],
        noop.micros,
      ),
    ),
  );
  for (const { numbers } of results) numbers['ofNoopRate'] = numbers['receivedPerSecond']! / noop.perSecond;
  setTargets(pipeline, queue, options.connections, results);
  if (against !== undefined) results.push(...compare(results, options.connections));
  const most = Math.max(...options.connections);
  for (const [side, { label, run }] of sides.entries()) {
    const perSecond =
      HALF * results[(side + 1) * options.connections.length - 1]!.numbers['receivedPerSecond']!;
    await run.steady(most, SETTLE_SECONDS, { perSecond });
    const half = await run.steady(most, seconds(options, 20), { perSecond });
    results.push(halfResult(pipeline, queue, `half of that rate${label}`, half, noop.micros));
    const overload = await run.overload(most, seconds(options, 10));
    results.push({ ...overload, name: overload.name + label });
  }
  return results.map((result) => ({ ...result, name: `${pipeline.name}, ${queue} queue, ${result.name}` }));
}

/** Alternates which side goes first, because the machine changes its speed. */
async function takeTurns(sides: Side[], noop: NoopTurns, options: RunOptions): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    await noop.turn(seconds(options, 3));
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const connections of options.connections)
      for (const side of order) {
        const key = `${sides.indexOf(side)} ${connections}`;
        const turn = await side.run.steady(connections, seconds(options, 6));
        turns.set(key, [...(turns.get(key) ?? []), turn]);
        await sleep(200);
      }
  }
  return turns;
}

function setTargets(pipeline: Pipeline, queue: QueueKind, connections: number[], results: Result[]): void {
  const { name, targets, targetNu, targetOfNoop } = pipeline;
  const steady = results.slice(0, connections.length);
  const rate = Math.max(...steady.map(({ numbers }) => numbers['receivedPerSecond'] ?? 0));
  const nu = Math.min(...steady.map(({ numbers }) => numbers['sumNu'] ?? Infinity));
  steady.at(-1)!.targets = [
    atLeast(targets[queue], rate, `${name}: messages per second, ${queue} queue`),
    atMost(targetNu, nu, `${name}: CPU of a message in NU, ${queue} queue`),
  ];
  const like = steady[connections.indexOf(NOOP_CONNECTIONS)];
  if (!like || targetOfNoop === undefined) return;
  const what = `${name}: rate of ${NOOP_CONNECTIONS} connections relative to the no-op route, ${queue} queue`;
  like.targets = [...(like.targets ?? []), atLeast(targetOfNoop, like.numbers['ofNoopRate']!, what)];
}

function halfResult(
  { name, targetHalfP99Ms }: Pipeline,
  queue: QueueKind,
  label: string,
  turn: Turn,
  nuMicros: number,
): Result {
  const result = resultOf(label, [turn], nuMicros);
  const what = `${name}: p99 in ms at half the rate, ${queue} queue`;
  if (targetHalfP99Ms !== undefined)
    result.targets = [atMost(targetHalfP99Ms, result.numbers['receiptP99Ms']!, what)];
  return result;
}

/** CPU of this checkout relative to the other, by process, from the same run. */
function compare(results: Result[], connections: number[]): Result[] {
  return connections.map((count, i) => {
    const [ours, theirs] = [results[i]!.cpu!, results[connections.length + i]!.cpu!];
    const ratios = ours.parts.map(({ part, microsPerItem }) => [
      part,
      microsPerItem / microsOf(theirs, part),
    ]);
    const sums = [results[i]!, results[connections.length + i]!].map(({ numbers }) => numbers['sumMicros']!);
    return {
      name: `${count} connections, CPU relative to the other checkout`,
      numbers: { all: sums[0]! / sums[1]!, ...(Object.fromEntries(ratios) as Record<string, number>) },
    };
  });
}
