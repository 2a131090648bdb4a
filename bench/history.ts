import { waitFor } from '@signalbox/tools/servers/wait-for';
import type pg from 'pg';
import { microsOf, sumMicros } from './breakdown.ts';
import { fillHistory, fillOpen } from './history-rows.ts';
import { NoopTurns } from './noop.ts';
import { type Turn, resultOf } from './pipeline-run.ts';
import { type Pipeline, SMS, type Side, openSide } from './pipeline.ts';
import { type Result, type RunOptions, atMost, seconds } from './report.ts';

const CONNECTIONS = 256;
const HISTORIES = [0, 5_000_000, 20_000_000];
const OPEN = 2_000_000;
const TURNS = 3;
const TARGET = 1.1;

/** Messages to many recipients: each is put into another place of the index of recipients. */
const TO_MANY: Pipeline = {
  ...SMS,
  workload: async (stage) => {
    const { request, ...workload } = await SMS.workload(stage);
    return { ...workload, request: { ...request, toMany: true } };
  },
};

/**
 * The closed loop on an empty database, on histories of finished messages, and then with messages that wait for their
 * reports: the CPU of a message must stay.
 */
export async function benchHistory(options: RunOptions): Promise<Result[]> {
  await using opened = new AsyncDisposableStack();
  const { profile, logLevel, timeScale } = options;
  const queue = options.queues[0]!;
  const side = opened.use(await openSide(TO_MANY, { queue, profile, logLevel }));
  const noop = opened.use(await NoopTurns.start(side.stage.stack.apiKey, options.unit));
  await noop.warmUp(seconds(options, 20));
  await side.run.warmUp(CONNECTIONS, seconds(options, 60), 100_000 * timeScale);
  const results: Result[] = [];
  const measure = async (name: string): Promise<void> => {
    const turns: Turn[] = [];
    await untilCounted(side.stage.db);
    await side.stage.db.query('CHECKPOINT'); // before each, because the first changes of pages cost most
    await noop.warmUp(seconds(options, 10)); // minutes after its last turn
    const before = noop.reading();
    for (let turn = 0; turn < TURNS; turn += 1) {
      await noop.turn(seconds(options, 3));
      turns.push(await side.run.steady(CONNECTIONS, seconds(options, 10)));
    }
    results.push(resultOf(`history, ${name}`, turns, noop.microsSince(before)));
  };
  for (const count of HISTORIES.map((messages) => Math.round(messages * timeScale))) {
    await whileAppsPause(side, () => fillHistory(side.stage.db, count));
    await measure(`${count} messages`);
  }
  const open = Math.round(OPEN * timeScale);
  await whileAppsPause(side, () => fillOpen(side.stage.db, open));
  await measure(`${open} messages open`);
  return [...results, relative(results)];
}

/** Waits until the statistics have counted what was sent before a fill, which they could not do during it. */
function untilCounted(db: pg.Client): Promise<void> {
  return waitFor(
    async () => {
      const { rows } = await db.query(
        "SELECT FROM message_stat_build WHERE due_at < now() - interval '5 seconds'",
      );
      return rows.length === 0;
    },
    { timeoutMs: 300_000, otherwise: 'statistics are not counted' },
  );
}

/** Without the indexes that a fill drops, the duties of the apps read whole tables again and again. */
async function whileAppsPause({ stage }: Side, fill: () => Promise<void>): Promise<void> {
  const signal = (name: NodeJS.Signals): void =>
    SMS.apps.forEach((app) => process.kill(stage.stack.process(app).pid!, name));
  signal('SIGSTOP');
  try {
    await fill();
  } finally {
    signal('SIGCONT');
  }
}

/** CPU relative to the empty database, in NU, so that the speed of the machine does not matter. */
function relative(results: Result[]): Result {
  const nuOf = ({ cpu }: Result): number => sumMicros(cpu!) / cpu!.nuMicros!;
  const postgresOf = ({ cpu }: Result): number => microsOf(cpu!, 'postgres/*') / cpu!.nuMicros!;
  const [empty, ...others] = results;
  const numbers = Object.fromEntries(
    others.flatMap((result) => [
      [result.name, nuOf(result) / nuOf(empty!)],
      [`${result.name}, Postgres`, postgresOf(result) / postgresOf(empty!)],
    ]),
  );
  const worst = Math.max(...others.map((result) => nuOf(result) / nuOf(empty!)));
  return {
    name: 'history, CPU of a message relative to an empty database',
    numbers,
    targets: [atMost(TARGET, worst, 'history: CPU of a message relative to an empty database')],
  };
}
