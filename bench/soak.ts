import { rssMegabytes } from './cpu.ts';
import { type Point, slope } from './line-fit.ts';
import { SMS, openSide } from './pipeline.ts';
import { type Result, type RunOptions, atMost, below, seconds } from './report.ts';
import type { Stage } from './stage.ts';

const MINUTES = 10;
const CONNECTIONS = 256;
/** Of the rate that the closed loop reached. */
const SHARE = 0.7;
const RSS_EVERY_MS = 1_000;
const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;

/** Runs the pipeline for minutes at a part of its rate: memory and latency must stay. */
export async function benchSoak(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) {
    const { profile, logLevel } = options;
    await using side = await openSide(SMS, { queue, profile, logLevel });
    await side.run.warmUp(CONNECTIONS, seconds(options, 60), 100_000 * options.timeScale);
    const measured = await side.run.steady(CONNECTIONS, seconds(options, 20));
    const perSecond = (SHARE * measured.received) / measured.seconds;
    const memory = watchMemory(side.stage);
    const minutes = [];
    for (let minute = 1; minute <= MINUTES; minute += 1)
      minutes.push(await side.run.steady(CONNECTIONS, seconds(options, 60), { perSecond }));
    const p99s = minutes.map(({ receipts }) => receipts.p99Ms ?? Number.NaN);
    const numbers = Object.fromEntries(p99s.map((p99, i) => [`p99MsMinute${i + 1}`, p99]));
    const growth = memory();
    const half = MINUTES / 2;
    const worst = (some: number[]): number => Math.max(...some);
    results.push({
      name: `soak, ${queue} queue, ${perSecond.toFixed(0)} messages per second`,
      numbers: { perSecond, ...growth, ...numbers },
      targets: [
        below(
          2,
          worst(Object.entries(growth).flatMap(([name, mb]) => (name.endsWith('PerMinute') ? [mb] : []))),
          `soak: growth of the memory of an app, MB a minute, ${queue} queue`,
        ),
        atMost(
          2,
          worst(p99s.slice(half)) / worst(p99s.slice(0, half)),
          `soak: p99 of the second half relative to the first, ${queue} queue`,
        ),
      ],
    });
  }
  return results;
}

/** Samples the memory of the apps. The returned function ends that, and returns peaks and slopes. */
function watchMemory({ stack }: Stage): () => Record<string, number> {
  const samples = APPS.map((app) => ({ app, points: [] as Point[] }));
  const timer = setInterval(() => {
    for (const { app, points } of samples)
      points.push({ minutes: performance.now() / 60_000, mb: rssMegabytes(stack.process(app).pid ?? 0) });
  }, RSS_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Object.fromEntries(
      samples.flatMap(({ app, points }) => [
        [`${app} rssMaxMb`, Math.max(...points.map(({ mb }) => mb))],
        [`${app} rssMbPerMinute`, slope(points.slice(Math.floor(points.length / 5)))],
      ]),
    ) as Record<string, number>;
  };
}
