import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { AppProcess } from '../../tools/servers/app-process.ts';
import { type Service, startService } from '../support/service.ts';
import { describeLost } from './lost-rows.ts';
import { type Outcome, type RunOptions, broken, brokenFlows } from './outcome.ts';
import { pick, randomFrom } from './random.ts';
import { ENDLESS, Traffic } from './traffic.ts';

const APPS = ['api', 'sms-worker', 'dlr-worker'] as const;
const WORKERS = ['sms-worker', 'dlr-worker'] as const;
/** Seconds after a kill within which every message that was accepted before it is pushed. */
const REPAIR_SECONDS = 15;
/** Seconds after which what is still missing counts as lost. */
const PATIENCE_SECONDS = 120;
/**
 * Each kill comes at a random instant within this time after the last one was repaired, so that it may hit any point of
 * a batch.
 */
const PAUSE_MS = 1_000;

/** Kills one of two workers of a kind, again and again, while others wait in the tables for days. */
export async function runBatchKills({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { kills = 0, open = 0, rate = 0, seed = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: APPS });
  const random = randomFrom(seed);
  await fillOpen(service, open);
  const workers = WORKERS.map((name) => service.stack.process(name));
  const all = [...workers, ...(await Promise.all(WORKERS.map((name) => service.startTwin(name))))];
  await using traffic = await Traffic.start(service, { sms: ENDLESS, perSecond: rate });
  await waitFor(() => traffic.accepted() > rate, { otherwise: 'no message was accepted' });
  const repairs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(random() * PAUSE_MS);
    repairs.push(await killOne(pick(random, all), traffic));
    if (repairs.length % 10 === 0) console.log(`  ${repairs.length} kills`);
  }
  await traffic.stop();
  const flows = await traffic.drain(Date.now(), PATIENCE_SECONDS);
  for (const { name, tally } of flows) await describeLost(service, name, tally.lost);
  const sorted = repairs.toSorted((a, b) => a - b);
  const slowest = sorted.at(-1) ?? 0;
  return {
    flows,
    figures: {
      'open messages': open,
      'made good, median': `${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1)} s`,
      'made good, slowest': `${slowest.toFixed(1)} s`,
      'submitted again': (await service.listSubmittedAgain()).length,
      ...traffic.calls(),
      seed,
    },
    broken: [
      ...brokenFlows(flows, REPAIR_SECONDS),
      ...broken({ [`a kill was made good after ${slowest.toFixed(1)} s`]: slowest > REPAIR_SECONDS }),
    ],
  };
}

/** @returns the seconds until every message that was accepted before the kill was pushed */
async function killOne(app: AppProcess, traffic: Traffic): Promise<number> {
  const killedAt = Date.now();
  const { pid } = app;
  app.kill('SIGKILL');
  await waitFor(() => app.pid !== pid, { otherwise: 'a killed worker did not end' });
  const waiting = traffic.unfinished();
  const patience = { timeoutMs: PATIENCE_SECONDS * 1_000, otherwise: 'a kill was not made good' };
  await waitFor(() => waiting.every(({ ledger, to }) => ledger.finishedAt.has(to)), patience);
  const last = Math.max(killedAt, ...waiting.map(({ ledger, to }) => ledger.finishedAt.get(to) ?? 0));
  await app.start();
  return (last - killedAt) / 1_000;
}

/** Adds messages that were sent, wait for their reports, and are not asked about during the run. */
async function fillOpen(service: Service, count: number): Promise<void> {
  if (count === 0) return;
  await service.query(OPEN(count));
  await service.query('VACUUM ANALYZE submission');
  await service.query('VACUUM ANALYZE message');
}

const OPEN = (count: number): string => `
  WITH stored AS (
    INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits,
                            accepted_at, fanned_upto, fanned_out_at)
    SELECT uuidv7(interval '-1 hour'), (SELECT id FROM account WHERE name = 'Demo'), 'sms', 'text', 'TRANS', 'SIGNALBX',
           '{"text": "Hello", "unicode": false, "flash": false}', ARRAY[(918000000000 + i)::text], 1,
           now() - interval '1 hour', 1, now() - interval '1 hour'
      FROM generate_series(1, ${count}) AS i
    RETURNING id, account_id, recipients[1] AS recipient
  )
  INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, lane, sent_at,
                       asks, due_at)
  SELECT id, 1, account_id, recipient, 'SENT', 1, now() - interval '1 hour', 'simulator', 'TRANS', now() - interval '1 hour',
         'simulator', now() + interval '1 day'
    FROM stored`;
