import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type Result, type RunOptions, atLeast } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { type Stage, openStage } from './stage.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;
const CONCURRENCY = 4;
const MAX_IN_FLIGHT = 128;
const TARGET = 15_000;

const WRITTEN_TARGET = 5_000;

/**
 * Bulk SMS: recipients per second until each is a message (fanned out), until the gateway has each, and until each
 * one's report arrived at the webhook; the same words for all, and with three values and a short link for each.
 */
export async function benchBulk(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) {
    await using stage = await openStage({ apps: APPS, queue, profile: options.profile });
    await using receiver = await startSideProcess('traffic-process.ts');
    await stage.createWebhook({ endPoint: await receiver.ask<string>('url'), maxInFlight: MAX_IN_FLIGHT });
    for (let round = 0; round < 3; round += 1) await send(stage, receiver, 10, 1_000); // warm-up
    const written = await writtenBody(stage);
    const plain: Result[] = [];
    const rich: Result[] = [];
    for (let round = 0; round < 3; round += 1) {
      plain.push(await send(stage, receiver, 1, 10_000));
      rich.push(await send(stage, receiver, 1, 10_000, written));
    }
    const [same, own] = [fastestOf(plain), fastestOf(rich)];
    own.name += ' with values and a link each';
    own.numbers['ratioToPlain'] = submitted(own) / submitted(same);
    const many = await send(stage, receiver, 100, 1_000);
    for (const result of [same, own]) result.name += ', the fastest of three';
    for (const result of [same, own, many])
      results.push({ ...result, name: `bulk, ${queue} queue, ${result.name}` });
    if (queue === 'redis') {
      results.at(-1)!.targets = [
        atLeast(TARGET, fannedOut(many), 'bulk: recipients fanned out per second'),
        atLeast(
          WRITTEN_TARGET,
          submitted(own),
          'bulk: recipients with values and a link submitted per second',
        ),
      ];
    }
  }
  return results;
}

function fannedOut({ numbers }: Result): number {
  return numbers['fannedOutPerSecond'] ?? 0;
}

function submitted({ numbers }: Result): number {
  return numbers['submittedPerSecond'] ?? 0;
}

function fastestOf(rounds: Result[]): Result {
  return rounds.reduce((best, result) => (submitted(result) > submitted(best) ? result : best));
}

async function send(
  stage: Stage,
  receiver: SideProcess,
  calls: number,
  recipients: number,
  bodyOf = bulkBody,
): Promise<Result> {
  const bodies = Array.from({ length: calls }, (_, call) => bodyOf(call * recipients, recipients));
  await receiver.ask('reset');
  const endCpu = await stage.countCpu({ receiver: [receiver.pid] });
  const startedAt = performance.now();
  const sinceStart = (): number => (performance.now() - startedAt) / 1000;
  const accepting = postAll(stage, bodies).then((ids) => ({ ids, seconds: sinceStart() }));
  const { ids, seconds: acceptSeconds } = await accepting;
  await until(async () => (await countFannedOut(stage, ids)) === calls * recipients);
  const fanSeconds = sinceStart();
  await until(() => areSubmitted(stage, ids));
  const submitSeconds = sinceStart();
  await until(async () => (await receiver.ask<number>('count')) >= calls * recipients);
  const reportSeconds = sinceStart();
  const all = calls * recipients;
  return {
    name: `${calls} x ${recipients} recipients`,
    numbers: {
      acceptedPerSecond: all / acceptSeconds,
      fannedOutPerSecond: all / fanSeconds,
      submittedPerSecond: all / submitSeconds,
      reportedPerSecond: all / reportSeconds,
    },
    cpu: await endCpu(all),
  };
}

/** A bulk call. The simulator delivers to numbers that end in 1234. */
function bulkBody(from: number, count: number): string {
  const to = Array.from({ length: count }, (_, i) => String(917_000_001_234 + (from + i) * 10_000));
  return JSON.stringify({ sender: 'SIGNALBX', to, text: 'Our shop opens at nine.', type: 'PROMO' });
}

/**
 * A call with three values and a short link for each recipient; numbers are short, so that 10,000 fit into the largest
 * body.
 */
async function writtenBody(stage: Stage): Promise<(from: number, count: number) => string> {
  const template = {
    name: 'bench',
    text: 'Dear {{1}}, order {{2}} leaves at {{3}}. See where it is: {{shortUrl}}',
  };
  const templateId = await post(stage, '/v1/sms/templates', JSON.stringify(template));
  const shortenUrlData = { shortenUrl: true, targetUrl: ['https://example.com/orders'] };
  return (_, count) => {
    const to = Array.from({ length: count }, (__, i) => String(10_001_234 + i * 1_000)).join(',');
    const custom = Array.from({ length: count }, (__, i) => ['Ann', String(i % 10), '9']);
    return JSON.stringify({ sender: 'SIGNALBX', to, type: 'TRANS', templateId, custom, shortenUrlData });
  };
}

async function postAll(stage: Stage, bodies: string[]): Promise<string[]> {
  const ids: string[] = [];
  const rest = bodies.values();
  const sender = async (): Promise<void> => {
    for (const body of rest) ids.push(await post(stage, '/v1/sms', body));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  return ids;
}

/** Makes a call. @returns the id of the submission or template */
async function post({ stack: { apiUrl, apiKey } }: Stage, path: string, body: string): Promise<string> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const response = await request(apiUrl + path, { method: 'POST', headers, body });
  const { id, data, message, error } = (await response.body.json()) as {
    id?: string;
    data: { id?: string };
    message: string;
    error: unknown;
  };
  if (error !== null) throw new Error(message);
  return id ?? data.id ?? '';
}

/** Reads the progress of fan-out from the submission, which is cheaper than counting its messages. */
async function countFannedOut({ db }: Stage, ids: string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT sum(fanned_upto)::integer AS count FROM submission WHERE id = ANY($1)',
    [ids],
  );
  return rows[0]?.count ?? 0;
}

async function areSubmitted({ db }: Stage, ids: string[]): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM message WHERE submission_id = ANY($1) AND status = 'PENDING' LIMIT 1`,
    [ids],
  );
  return rowCount === 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('a bulk was not done within 120 s');
    await sleep(10);
  }
}
