import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type Result, type RunOptions, atLeast } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { type Stage, openStage } from './stage.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;
const AT_ONCE = 4;
const MAX_IN_FLIGHT = 128;
const TARGET = 15_000;

/** Bulk SMS: recipients per second until each is a message (fanned out), and until each one's report arrived at the webhook. */
export async function benchBulk(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) {
    await using stage = await openStage({ apps: APPS, queue, profile: options.profile });
    await using receiver = await startSideProcess('receiver-process.ts');
    await stage.createWebhook(await receiver.ask<string>('url'), MAX_IN_FLIGHT);
    for (let round = 0; round < 3; round += 1) await send(stage, receiver, 10, 1_000); // warm-up
    const one = [await send(stage, receiver, 1, 10_000), await send(stage, receiver, 1, 10_000), await send(stage, receiver, 1, 10_000)];
    const fastest = one.reduce((best, result) => (fannedOut(result) > fannedOut(best) ? result : best));
    const many = await send(stage, receiver, 100, 1_000);
    fastest.name += ', the fastest of three';
    for (const result of [fastest, many]) results.push({ ...result, name: `bulk, ${queue} queue, ${result.name}` });
    if (queue === 'redis') results.at(-1)!.targets = [atLeast(TARGET, fannedOut(many), 'bulk: recipients fanned out per second')];
  }
  return results;
}

function fannedOut({ numbers }: Result): number {
  return numbers['fannedOutPerSecond'] ?? 0;
}

async function send(stage: Stage, receiver: SideProcess, calls: number, recipients: number): Promise<Result> {
  const bodies = Array.from({ length: calls }, (_, call) => bulkBody(call * recipients, recipients));
  await receiver.ask('reset');
  const endCpu = await stage.countCpu({ receiver: [receiver.pid] });
  const startedAt = performance.now();
  const sinceStart = (): number => (performance.now() - startedAt) / 1000;
  const accepting = postAll(stage, bodies).then((ids) => ({ ids, seconds: sinceStart() }));
  const { ids, seconds: acceptSeconds } = await accepting;
  await until(async () => (await countFannedOut(stage, ids)) === calls * recipients);
  const fanSeconds = sinceStart();
  await until(async () => (await receiver.ask<number>('count')) >= calls * recipients);
  const reportSeconds = sinceStart();
  const all = calls * recipients;
  return {
    name: `${calls} x ${recipients} recipients`,
    numbers: { acceptedPerSecond: all / acceptSeconds, fannedOutPerSecond: all / fanSeconds, reportedPerSecond: all / reportSeconds },
    cpu: await endCpu(all),
  };
}

/** The simulator just delivers to numbers that end in 1234. */
function bulkBody(from: number, count: number): string {
  const to = Array.from({ length: count }, (_, i) => String(917_000_001_234 + (from + i) * 10_000));
  return JSON.stringify({ sender: 'SIGNALBX', to, text: 'Our shop opens at nine.', type: 'PROMO' });
}

/** Sends the calls, AT_ONCE at a time. */
async function postAll(stage: Stage, bodies: string[]): Promise<string[]> {
  const ids: string[] = [];
  const rest = bodies.values();
  const sender = async (): Promise<void> => {
    for (const body of rest) ids.push(await post(stage, body));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return ids;
}

async function post({ stack: { apiUrl, apiKey } }: Stage, body: string): Promise<string> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const response = await request(`${apiUrl}/v1/sms`, { method: 'POST', headers, body });
  const { id, message } = (await response.body.json()) as { id: string | null; message: string };
  if (id === null) throw new Error(message);
  return id;
}

/** How far fan-out came stands in the submission, which is cheaper to read than its messages. */
async function countFannedOut({ db }: Stage, ids: string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>('SELECT sum(fanned_upto)::integer AS count FROM submission WHERE id = ANY($1)', [ids]);
  return rows[0]?.count ?? 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('a bulk was not done within 120 s');
    await sleep(10);
  }
}
