import { join } from 'node:path';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { startSideProcess } from '../../bench/side-process.ts';
import { type Service, type Tenant, startService } from '../support/service.ts';
import type { HostileAnswers, HostileLogin } from './hostile-client-process.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { p99, pushTimes } from './times.ts';

/** The default of an installation, instead of that of `npm start`. */
const RATE_LIMIT = '60000';
const CALLS_PER_SECOND = 10;
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
  acceptP99Ms: number;
  pushP99Ms: number;
}

/** Measures a quiet account alone, and then next to one that does everything that costs the others. */
export async function runHostileAccount({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { seconds = 0 } = sizes;
  const env = { RATE_LIMIT_PER_MINUTE: RATE_LIMIT };
  await using service = await startService({ queue, ownPostgres: true, env });
  await using quiet = await service.createTenant();
  await measure(quiet, seconds / 4); // warms up
  const alone = await measure(quiet, seconds);
  await using hostile = await startSideProcess(HOSTILE_CLIENT);
  await hostile.ask('prepare', await createHostileAccount(service));
  const from = new Date().toISOString();
  await hostile.ask('begin');
  const together = await measure(quiet, seconds);
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
    },
    broken: broken({ ...rules, 'calls of the quiet account failed': together.failed > 0 }),
  };
}

async function measure(tenant: Tenant, seconds: number): Promise<Latency & { failed: number }> {
  const longestMs = 2 * seconds * 1_000;
  const load = tenant.startLoad({ callsPerSecond: CALLS_PER_SECOND, recipientsPerCall: 1, longestMs });
  for (const until = Date.now() + seconds * 1_000; Date.now() < until; ) await load.more(1);
  await load.stop();
  await tenant.untilPushed(load, 120_000);
  return {
    acceptP99Ms: p99(load.calls.map(({ tookMs }) => tookMs)),
    pushP99Ms: p99(pushTimes(load, tenant)),
    failed: Object.keys(load.failures()).length,
  };
}

async function createHostileAccount({ stack }: Service): Promise<HostileLogin> {
  return { apiUrl: stack.apiUrl, apiKey: await createAccountKey(stack.databaseUrl, 'Hostile', 'test') };
}
