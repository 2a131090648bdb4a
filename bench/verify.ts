import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newOtpCode, otpMac } from '@signalbox/domain/verify/otp-code';
import { request } from 'undici';
import type { Load, LoadResult } from './generator.ts';
import { startNoop } from './noop.ts';
import { type Result, type RunOptions, atLeast, below, seconds } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { singleSms } from './single-sms.ts';
import { BENCH_PEPPER, type QueueKind, type Stage, openStage } from './stage.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker', 'otp-worker'] as const;
const CODES_PER_SECOND = 200;
const PROMOTION = { calls: 20, recipients: 10_000 };
const CONNECTIONS = 64;
const ROUNDS = 2;
/** More codes than one api checks in a second. */
const STORED_PER_SECOND = 9_000;

/** A gateway slower than the workers, so that messages stay in their lane. */
const GATEWAY_PER_SECOND = '1000';

/**
 * Times one-time passwords from the call to the simulator: alone, while the workers drain a promotion of 200,000 as
 * fast as the machine can, and while such a promotion waits for its gateway. Compares the check of correct codes with
 * the no-op route.
 */
export async function benchVerify(options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const queue of options.queues) {
    const [alone, draining] = await measure(options, queue, {}, ['alone', 'while a promotion is drained']);
    const [, waiting] = await measure(options, queue, { SIMULATOR_RATE_PER_SECOND: GATEWAY_PER_SECOND }, [
      '',
      'while a promotion waits for its gateway',
    ]);
    results.push(alone!, draining!, waiting!);
    if (queue === 'redis')
      waiting!.targets = [
        below(250, waiting!.numbers['p99Ms']!, 'verify: call to simulator beside a promotion, p99, ms'),
      ];
  }
  return [...results, ...(await validate(options))];
}

/** Sends codes alone, and again with the promotion in its lane. */
async function measure(
  options: RunOptions,
  queue: QueueKind,
  env: NodeJS.ProcessEnv,
  names: [string, string],
): Promise<Result[]> {
  await using stage = await openStage({ apps: APPS, queue, profile: options.profile, env });
  const configId = await createConfig(stage);
  const forSeconds = seconds(options, 20);
  await sendCodes(stage, configId, 2, 0); // warm-up
  const alone = await generate(stage, configId, forSeconds, 100_000);
  await Promise.all(Array.from({ length: PROMOTION.calls }, (_, i) => post(stage, '/v1/sms', promotion(i))));
  const beside = await generate(stage, configId, forSeconds, 200_000);
  return [alone, beside].map((result, i) => ({
    ...result,
    name: `verify, ${queue} queue, ${CODES_PER_SECOND} codes/s ${names[i]}`,
  }));
}

async function generate(
  stage: Stage,
  configId: string,
  forSeconds: number,
  from: number,
): Promise<Omit<Result, 'name'>> {
  const endCpu = await stage.countCpu({});
  const waitingBefore = await countWaiting(stage);
  const startedAt = await sendCodes(stage, configId, forSeconds, from);
  const waitingAfter = await countWaiting(stage);
  const cpu = await endCpu(startedAt.size);
  const waits = await waitsOf(stage, startedAt);
  const at = (share: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? Number.NaN;
  const numbers = {
    codes: startedAt.size,
    codesPerSecond: startedAt.size / forSeconds,
    notSent: startedAt.size - waits.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    promotionWaitingBefore: waitingBefore,
    promotionWaitingAfter: waitingAfter,
  };
  return { numbers, cpu };
}

/** Requests codes at a steady pace, each for another number. @returns the time of each request, by verify id */
async function sendCodes(
  stage: Stage,
  configId: string,
  forSeconds: number,
  from: number,
): Promise<Map<string, number>> {
  const startedAt = new Map<string, number>();
  const calls: Promise<void>[] = [];
  const begin = Date.now();
  for (let i = 0; i < forSeconds * CODES_PER_SECOND; i += 1) {
    const dueAt = begin + (i * 1000) / CODES_PER_SECOND;
    if (dueAt > Date.now()) await sleep(dueAt - Date.now());
    calls.push(askCode(stage, configId, String(910_000_001_234 + (from + i) * 10_000), startedAt));
  }
  await Promise.all(calls);
  return startedAt;
}

async function askCode(
  stage: Stage,
  configId: string,
  to: string,
  startedAt: Map<string, number>,
): Promise<void> {
  const at = Date.now();
  startedAt.set(await post(stage, '/v1/verify', { configId, to }), at);
}

/** Milliseconds from each request to the submit of its code, shortest first; the database uses the same clock. */
async function waitsOf({ db }: Stage, startedAt: ReadonlyMap<string, number>): Promise<number[]> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { rows } = await db.query<{ id: string; at: number }>(
      `SELECT v.id, (extract(epoch FROM m.sent_at) * 1000)::float8 AS at
         FROM unnest($1::uuid[]) AS asked(id) JOIN verification v ON v.id = asked.id
         JOIN message m ON m.submission_id = v.submission_id AND m.n = 1 WHERE m.sent_at IS NOT NULL`,
      [[...startedAt.keys()]],
    );
    if (rows.length === startedAt.size || Date.now() > deadline) {
      return rows.map(({ id, at }) => at - startedAt.get(id)!).toSorted((a, b) => a - b);
    }
    await sleep(200);
  }
}

async function countWaiting({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>(
    `SELECT COALESCE(sum(cardinality(recipients) - fanned_upto), 0)::integer AS waiting FROM submission WHERE lane = 'PROMO'`,
  );
  return rows[0]?.waiting ?? 0;
}

function promotion(index: number): object {
  const { recipients } = PROMOTION;
  const to = Array.from({ length: recipients }, (_, i) =>
    String(15_550_001_234 + (index * recipients + i) * 10_000),
  );
  return { sender: 'SIGNALBX', to, text: 'Our shop opens at nine.', type: 'PROMO' };
}

/** Measures the check of stored correct codes by the api alone, alternating with the no-op route. */
async function validate(options: RunOptions): Promise<Result[]> {
  await using load = await startSideProcess('traffic-process.ts');
  await using stage = await openStage({ apps: ['api'], profile: options.profile });
  const { apiUrl, apiKey } = stage.stack;
  await using noop = await startNoop(apiKey, options.unit);
  const noopLoad = singleSms(await noop.ask<string>('url'), apiKey);
  const forSeconds = seconds(options, 10);
  const verifyLoad = async (length: number): Promise<Pick<Load, 'url' | 'headers' | 'body' | 'bodies'>> => ({
    ...noopLoad,
    url: `${apiUrl}/v1/verify/validate`,
    bodies: await storeCodes(stage, length * STORED_PER_SECOND),
  });
  const run = (work: Pick<Load, 'url' | 'headers' | 'body'>, length: number): Promise<LoadResult> =>
    load.ask<LoadResult>('run', { ...work, connections: CONNECTIONS, seconds: length });
  await run(noopLoad, 3); // warm-up
  await run(await verifyLoad(3), 3);
  const results: Result[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const bare = await run(noopLoad, forSeconds);
    const prepared = await verifyLoad(forSeconds);
    const checked = await measured(stage, load, noop, () => run(prepared, forSeconds));
    results.push(
      {
        name: `the no-op route, round ${round}`,
        numbers: { noopPerSecond: bare.perSecond, p50Ms: bare.p50Ms, p99Ms: bare.p99Ms },
      },
      { name: `right codes, round ${round}`, ...checked },
    );
  }
  const total = (field: string): number =>
    results.reduce((sum, { numbers }) => sum + (numbers[field] ?? 0), 0);
  const ratioToNoop = total('rightPerSecond') / total('noopPerSecond');
  return [
    {
      name: 'validate',
      numbers: { ratioToNoop },
      targets: [atLeast(0.5, ratioToNoop, 'verify: right codes beside the no-op route')],
    },
    ...results,
  ];
}

async function measured(
  stage: Stage,
  load: SideProcess,
  noop: SideProcess,
  run: () => Promise<LoadResult>,
): Promise<Omit<Result, 'name'>> {
  const endCpu = await stage.countCpu({ generator: [load.pid], noop: [noop.pid] });
  const { ok, failed, perSecond, p50Ms, p99Ms } = await run();
  return { numbers: { rightPerSecond: perSecond, p50Ms, p99Ms, failed }, cpu: await endCpu(ok) };
}

let stored = 0;

/** Stores verifications as the otp-worker leaves them, each for another number. @returns the bodies that check them */
async function storeCodes({ db }: Stage, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM account LIMIT 1');
  const accountId = rows[0]?.id ?? '';
  const made = Array.from({ length: count }, () => ({
    id: randomUUIDv7(),
    code: newOtpCode(6, 'numeric'),
    recipient: String(920_000_000_000 + (stored += 1)),
  }));
  const columns = [
    made.map(({ id }) => id),
    made.map(({ recipient }) => recipient),
    made.map(({ id, code }) => otpMac(BENCH_PEPPER, accountId, id, code)),
  ];
  await db.query(`INSERT INTO verification_number (account_id, recipient) SELECT $1, unnest($2::text[])`, [
    accountId,
    columns[1],
  ]);
  await db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, sent_at, code_mac, max_attempts, expires_at)
     SELECT id, $1, $1, $1, recipient, 'IN', false, 'SENT', now(), mac, 5, now() + interval '1 hour'
       FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS made(id, recipient, mac)`,
    [accountId, ...columns],
  );
  await db.query('VACUUM ANALYZE verification, verification_number');
  return made.map(({ id, code }) => JSON.stringify({ verifyId: id, otp: code }));
}

async function createConfig(stage: Stage): Promise<string> {
  await call(stage, '/v1/verify/policy', 'PATCH', {
    maxSendsPerPrefixPerHour: null,
    dailyCredits: null,
    fraudGuard: 'off',
  });
  const { id } = (await call(stage, '/v1/verify/configs', 'POST', { name: 'bench', sender: 'SIGNALBX' })) as {
    id: string;
  };
  return id;
}

async function post(stage: Stage, path: string, body: object): Promise<string> {
  return (await call(stage, path, 'POST', body)) as string;
}

async function call(
  { stack: { apiUrl, apiKey } }: Stage,
  path: string,
  method: 'POST' | 'PATCH',
  body: object,
): Promise<unknown> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const response = await request(apiUrl + path, { method, headers, body: JSON.stringify(body) });
  const { data, message } = (await response.body.json()) as { data: unknown; message: string };
  if (response.statusCode >= 300) throw new Error(message);
  return data;
}
