import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { type Parts, cpuUse, readCpu } from '../../bench/cpu.ts';
import { prepareLog } from '../../bench/postgres-work.ts';
import { type SideProcess, startSideProcess } from '../../bench/side-process.ts';
import { type Service, type Tenant, startService } from '../support/service.ts';
import type { HostileAnswers, HostileLogin } from './hostile-client-process.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { p99, pushTimes } from './times.ts';

/** The default of an installation, instead of that of `npm start`. */
const RATE_LIMIT = '60000';
/** Enough for a p99 that is not one of the few slowest calls: the 13th slowest of a minute's. */
const CALLS_PER_SECOND = 20;
/** The part of the quiet account's latency alone that it may reach next to the hostile one. */
const FACTOR = 2;
/**
 * The hostile account's calls come from a separate process, so that they delay only the product and not the
 * measurement.
 */
const HOSTILE_CLIENT = join(import.meta.dirname, 'hostile-client-process.ts');

/** Milliseconds between the stages of the quiet account's messages. */
const STAGES = `
  SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM m.sent_at - s.accepted_at) * 1000)::integer AS sent,
         percentile_disc(0.99) WITHIN GROUP (
           ORDER BY extract(epoch FROM uuid_extract_timestamp(e.id) - m.sent_at) * 1000
         )::integer AS reported,
         percentile_disc(0.99) WITHIN GROUP (
           ORDER BY extract(epoch FROM e.settled_at - uuid_extract_timestamp(e.id)) * 1000
         )::integer AS settled
    FROM submission s
    JOIN message m ON m.submission_id = s.id
    JOIN message_event e ON e.submission_id = s.id
   WHERE s.accepted_at >= $1 AND s.account_id <> (SELECT id FROM account WHERE name = 'Hostile')`;

interface Latency {
  calls: number;
  acceptP99Ms: number;
  pushP99Ms: number;
}

/** Measures a quiet account alone, and then next to one that does everything that costs the others. */
export async function runHostileAccount({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { seconds = 0 } = sizes;
  const env = { RATE_LIMIT_PER_MINUTE: RATE_LIMIT };
  await using service = await startService({ queue, ownPostgres: true, env });
  await prepareLog(service); // else the quiet account's commits wait for new segments, too
  await using quiet = await service.createTenant();
  await using hostile = await startSideProcess(HOSTILE_CLIENT);
  goFirst();
  await measure(quiet, seconds / 4); // warms up
  const alone = await measure(quiet, seconds);
  await hostile.ask('prepare', await createHostileAccount(service));
  const from = new Date().toISOString();
  const endCpu = countCpu(service, hostile);
  await hostile.ask('begin');
  const together = await measure(quiet, seconds);
  const cores = endCpu();
  const answers = await hostile.ask<HostileAnswers>('end');
  const [stages = {}] = await service.query<object>(STAGES.replace('$1', `'${from}'`));
  const rules = Object.fromEntries(
    (['acceptP99Ms', 'pushP99Ms'] as const).map((name) => [
      `${name} of the quiet account is ${together[name]} instead of ${alone[name]}`,
      together[name] > FACTOR * alone[name],
    ]),
  );
  return {
    flows: [],
    figures: {
      alone: JSON.stringify(alone),
      'next to the hostile one': JSON.stringify(together),
      'its p99 by stage, in ms': JSON.stringify(stages),
      'hostile answers': JSON.stringify(answers),
      'cores next to the hostile one': JSON.stringify(cores),
    },
    broken: broken({ ...rules, 'calls of the quiet account failed': together.failed > 0 }),
  };
}

/**
 * Lets this process, which is the quiet client, have a core when it wants one: a client would run on another machine.
 * Without the right to do so, its latencies include its own waits for a core.
 */
function goFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    console.warn('The quiet client keeps its priority: only root may raise it.');
  }
}

async function measure(tenant: Tenant, seconds: number): Promise<Latency & { failed: number }> {
  const longestMs = 2 * seconds * 1_000;
  const load = tenant.startLoad({ callsPerSecond: CALLS_PER_SECOND, recipientsPerCall: 1, longestMs });
  for (const until = Date.now() + seconds * 1_000; Date.now() < until; ) await load.more(1);
  await load.stop();
  await tenant.untilPushed(load, 120_000);
  return {
    calls: load.calls.length,
    acceptP99Ms: p99(load.calls.map(({ tookMs }) => tookMs)),
    pushP99Ms: p99(pushTimes(load, tenant)),
    failed: Object.keys(load.failures()).length,
  };
}

/** Counts the cores that each process uses until the end, those of both clients too: they share the machine. */
function countCpu({ stack }: Service, hostile: SideProcess): () => Record<string, number> {
  const parts: Parts = {
    api: pidsOf(stack.process('api')),
    'sms-worker': pidsOf(stack.process('sms-worker')),
    'dlr-worker': pidsOf(stack.process('dlr-worker')),
    'postgres/*': pidsOf(stack.postgres?.process),
    redis: pidsOf(stack.redis?.process),
    'hostile client and its endpoints': [hostile.pid],
    'quiet client and its endpoint': [process.pid],
  };
  const before = readCpu(parts);
  const startedAt = performance.now();
  return () => {
    const uses = cpuUse(before, readCpu(parts), (performance.now() - startedAt) / 1_000, 1);
    return Object.fromEntries(uses.map(({ part, share }) => [part, Number(share.toFixed(2))]));
  };
}

function pidsOf(started: { pid?: number | undefined } | undefined): number[] {
  return started?.pid === undefined ? [] : [started.pid];
}

async function createHostileAccount({ stack }: Service): Promise<HostileLogin> {
  return { apiUrl: stack.apiUrl, apiKey: await createAccountKey(stack.databaseUrl, 'Hostile', 'test') };
}
