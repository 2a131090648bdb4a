import { setTimeout as sleep } from 'node:timers/promises';
import type { BareCalls } from './bare-calls-process.ts';
import type { Breakdown } from './breakdown.ts';
import type { Receipts } from './receiver.ts';
import { type Result, type RunOptions, atLeast } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { type Stage, openStage } from './stage.ts';

const IN_FLIGHT = 64;
const ROUNDS = 2;
const TARGET = 0.4;

/**
 * Webhook calls per second through the dlr-worker (reports matched, messages moved, calls signed and made, outcomes
 * written), alternating with bare calls of undici to the same receiver.
 */
export async function benchPush(options: RunOptions): Promise<Result[]> {
  await using stage = await openStage({ apps: ['api', 'dlr-worker'], profile: options.profile });
  await using receiver = await startSideProcess('traffic-process.ts');
  await using bare = await startSideProcess('bare-calls-process.ts');
  const url = await receiver.ask<string>('url');
  await stage.createWebhook({ endPoint: url, maxInFlight: IN_FLIGHT });
  const count = Math.round(20_000 * options.timeScale);
  const others = { receiver: [receiver.pid], 'bare calls': [bare.pid] };
  const measure = (work: () => Promise<unknown>): Promise<Measured> =>
    timed(stage, receiver, others, count, work);

  const callBare = (): Promise<Measured> =>
    measure(() => bare.ask('run', { url, count, inFlight: IN_FLIGHT } satisfies BareCalls));
  const push = async (): Promise<Measured> => {
    const reportIds = await prepareReports(stage, count);
    return measure(() => enqueue(stage, reportIds));
  };
  await callBare(); // warm-up
  await push();
  const rounds: { bareCalls: Measured; pushes: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ bareCalls: await callBare(), pushes: await push() });
  const results = rounds.flatMap(({ bareCalls, pushes }): Result[] => [
    { name: 'bare calls of undici', numbers: { barePerSecond: bareCalls.perSecond }, cpu: bareCalls.cpu },
    { name: 'pushes of the dlr-worker', numbers: { pushPerSecond: pushes.perSecond }, cpu: pushes.cpu },
  ]);
  const ratio =
    sum(rounds.map(({ pushes }) => pushes.perSecond)) /
    sum(rounds.map(({ bareCalls }) => bareCalls.perSecond));
  return [
    {
      name: 'push',
      numbers: { ratioToBare: ratio },
      targets: [atLeast(TARGET, ratio, 'push: rate relative to bare calls')],
    },
    ...results,
  ];
}

interface Measured {
  perSecond: number;
  cpu: Breakdown;
}

/** Measures from the start of `work` to the last receipt. */
async function timed(
  stage: Stage,
  receiver: SideProcess,
  others: Record<string, number[]>,
  count: number,
  work: () => Promise<unknown>,
): Promise<Measured> {
  await receiver.ask('reset');
  const endCpu = await stage.countCpu(others);
  const startedAt = Date.now();
  await work();
  const lastAt = await lastReceipt(receiver, count);
  return { perSecond: (count * 1000) / (lastAt - startedAt), cpu: await endCpu(count) };
}

async function lastReceipt(receiver: SideProcess, count: number): Promise<number> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const receipts = await receiver.ask<Receipts>('receipts');
    if (receipts.count >= count) return receipts.lastAt;
    if (performance.now() > deadline)
      throw new Error(`${receipts.count} of ${count} calls came within 120 s`);
    await sleep(10);
  }
}

/** Stores submissions whose messages are sent, each with an unapplied report. */
async function prepareReports({ db }: Stage, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `WITH stored AS (
       INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, fanned_upto, fanned_out_at)
       SELECT uuidv7(), account.id, 'sms', 'text', 'TRANS', 'SIGNALBX', '{"text":"Hello","unicode":false,"flash":false}', '{919800001234}', 1, 1, now()
         FROM account, generate_series(1, $1)
       RETURNING id, account_id
     ), sent AS (
       INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, sent_at)
       SELECT id, 1, account_id, '919800001234', 'SENT', 1, now() + interval '1 hour', 'simulator', now() FROM stored
     )
     INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
     SELECT uuidv7(), 'simulator', id, 1, 'DELIVERED', '000', 'Message delivered', now() FROM stored
     RETURNING id`,
    [count],
  );
  return rows.map((row) => row.id);
}

/** Enqueues reports as the worker that stored them would have. */
async function enqueue(stage: Stage, reportIds: string[]): Promise<void> {
  const queue = await stage.openReportQueue();
  await queue.addJobs(reportIds, {});
  await queue.close();
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
