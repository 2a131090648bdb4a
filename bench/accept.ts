import type { AppName } from '@signalbox/tools/stack';
import type { Breakdown } from './breakdown.ts';
import { rssMegabytes } from './cpu.ts';
import { templateMessages } from './chat-load.ts';
import type { Load, LoadResult } from './generator.ts';
import { type Point, slope } from './line-fit.ts';
import { startNoop } from './noop.ts';
import { type Result, type RunOptions, atLeast, below, seconds } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { singleSms } from './single-sms.ts';
import { type Stage, openStage } from './stage.ts';

const CONNECTIONS = 64;
const ROUNDS = 2;
const RSS_EVERY_MS = 500;

/** The requests of a run. */
interface Workload {
  name: string;
  workers: AppName[];
  requestOf: (stage: Stage) => Promise<Pick<Load, 'url' | 'headers' | 'body' | 'bodies'>>;
  /** Of the rate of the no-op route. */
  wantedRatio: number;
}

const SMS: Workload = {
  name: 'accept',
  workers: ['sms-worker', 'dlr-worker'],
  requestOf: ({ stack }) => Promise.resolve(singleSms(stack.apiUrl, stack.apiKey)),
  wantedRatio: 0.7,
};

const TEMPLATE: Workload = {
  name: 'accept-template',
  workers: ['chatapp-worker', 'dlr-worker'],
  requestOf: templateMessages,
  wantedRatio: 0.6,
};

/** Measures the acceptance of single SMS. */
export function benchAccept(options: RunOptions): Promise<Result[]> {
  return benchWorkload(SMS, options);
}

/** Measures the acceptance of template messages with three values, each to another recipient. */
export function benchAcceptTemplate(options: RunOptions): Promise<Result[]> {
  return benchWorkload(TEMPLATE, options);
}

/** Measures the api alone, whose ratio is that of acceptance, and then with the workers on the same cores. */
async function benchWorkload(workload: Workload, options: RunOptions): Promise<Result[]> {
  await using load = await startSideProcess('traffic-process.ts');
  const alone = await alternate(workload, ['api'], load, options);
  const withWorkers = await alternate(workload, ['api', ...workload.workers], load, options);
  return [
    summary(workload, alone),
    ...alone,
    ...withWorkers.filter((result) => 'acceptPerSecond' in result.numbers),
  ];
}

/** Measures acceptance by one api, alternating with the route of single SMS without database and queue. */
async function alternate(
  workload: Workload,
  apps: AppName[],
  load: SideProcess,
  options: RunOptions,
): Promise<Result[]> {
  await using stage = await openStage({ apps, profile: options.profile, logLevel: options.logLevel });
  const { apiKey, process: appOf } = stage.stack;
  await using noop = await startNoop(apiKey, options.unit);
  const noopUrl = await noop.ask<string>('url');
  const [bareRequest, apiRequest] = [singleSms(noopUrl, apiKey), await workload.requestOf(stage)];
  const run = async (
    what: typeof apiRequest,
    normalSeconds: number,
  ): Promise<LoadResult & { cpu: Breakdown }> => {
    const endCpu = await stage.countCpu({ generator: [load.pid], noop: [noop.pid] });
    const result = await load.ask<LoadResult>('run', {
      ...what,
      connections: CONNECTIONS,
      seconds: seconds(options, normalSeconds),
    });
    return { ...result, cpu: await endCpu(result.ok) };
  };
  for (const what of [bareRequest, apiRequest]) await run(what, 4); // warm-up
  const results: Result[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { cpu: noopCpu, ...bare } = await run(bareRequest, 10);
    results.push({
      name: `the no-op route, round ${round}`,
      numbers: { noopPerSecond: bare.perSecond, ...latencyOf(bare) },
      cpu: noopCpu,
    });
    const endMemory = watchMemory(appOf('api').pid ?? 0);
    const { cpu, ...accepted } = await run(apiRequest, 10);
    const numbers = { acceptPerSecond: accepted.perSecond, ...latencyOf(accepted), ...endMemory() };
    results.push({ name: `${workload.name} with ${apps.join(', ')}, round ${round}`, numbers, cpu });
  }
  return results;
}

function latencyOf({ p50Ms, p99Ms, failed }: LoadResult): Record<string, number> {
  return { p50Ms, p99Ms, failed };
}

/** `cpuRatio` compares the CPU per request of the two servers: steadier than the rates when other programs run. */
function summary({ name, wantedRatio }: Workload, results: Result[]): Result {
  const values = (field: string): number[] => results.flatMap(({ numbers }) => numbers[field] ?? []);
  const micros = (server: string, field: string): number =>
    sum(
      results.flatMap(({ numbers, cpu }) =>
        field in numbers ? (cpu?.parts.find(({ part }) => part === server)?.microsPerItem ?? 0) : [],
      ),
    );
  const accepts = results.filter(({ numbers }) => 'acceptPerSecond' in numbers);
  const ratioToNoop = sum(values('acceptPerSecond')) / sum(values('noopPerSecond'));
  const cpuRatio = micros('noop', 'noopPerSecond') / micros('api', 'acceptPerSecond');
  const p99Ms = Math.max(...accepts.map(({ numbers }) => numbers['p99Ms'] ?? 0));
  const rssMaxMb = Math.max(...values('rssMaxMb'));
  const targets = [
    atLeast(wantedRatio, ratioToNoop, `${name}: rate beside the no-op route`),
    below(50, p99Ms, `${name}: p99, ms`),
    below(250, rssMaxMb, `${name}: most memory of the api, MB`),
  ];
  return { name, numbers: { ratioToNoop, cpuRatio }, targets };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Samples the memory of a process; the returned function ends that and returns the peak and the growth. */
function watchMemory(pid: number): () => Record<string, number> {
  const samples: Point[] = [];
  const look = (): void => void samples.push({ minutes: performance.now() / 60_000, mb: rssMegabytes(pid) });
  const timer = setInterval(look, RSS_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return { rssMaxMb: Math.max(...samples.map(({ mb }) => mb)), rssMbPerMinute: slope(samples) };
  };
}
