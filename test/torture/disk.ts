import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS } from '../../tools/servers/app-process.ts';
import { startService } from '../support/service.ts';
import { type OwnPostgres, startPrimary } from '../support/standby.ts';
import { type Fault, answeredBy503, makeFaults } from './dependencies.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { type SmallDisk, mountBreakable, mountFullable, moveTo } from './small-disk.ts';
import { Traffic } from './traffic.ts';

/** Longest time of a call while the disk fails: 2 s, and what a loaded machine adds. */
const ANSWER_MS = 5_000;

const DISKS: Record<string, { open: () => Promise<SmallDisk>; part: string }> = {
  'data, full': { open: mountFullable, part: '.' },
  'WAL, full': { open: mountFullable, part: 'pg_wal' },
  'data, EIO': { open: mountBreakable, part: '.' },
  'WAL, EIO': { open: mountBreakable, part: 'pg_wal' },
};

/**
 * Fills the disk of Postgres, and lets its writes and fsyncs fail, one disk after another, under a load of all kinds.
 */
export async function runDiskFaults(options: RunOptions): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const name of Object.keys(DISKS)) {
    console.log(`  ${name}`);
    outcomes.push(await runOnDisk(name, options));
  }
  const names = Object.keys(DISKS);
  return {
    flows: outcomes.flatMap(({ flows }, i) =>
      flows.map((flow) => ({ ...flow, name: `${names[i]}: ${flow.name}` })),
    ),
    figures: Object.fromEntries(
      outcomes.flatMap(({ figures }, i) =>
        Object.entries(figures).map(([label, value]) => [`${names[i]}: ${label}`, value]),
      ),
    ),
    broken: outcomes.flatMap((outcome, i) => outcome.broken.map((rule) => `${names[i]}: ${rule}`)),
  };
}

async function runOnDisk(name: string, { queue, sizes }: RunOptions): Promise<Outcome> {
  const { open, part } = DISKS[name]!;
  const { sms, chat, codes, rate = 0 } = sizes;
  await using started = new AsyncDisposableStack();
  const disk = started.use(await open());
  const postgres = started.use(await startPrimary({ max_wal_size: '64MB', min_wal_size: '32MB' }));
  await postgres.process.stop();
  await moveTo(disk, join(postgres.data, part));
  await postgres.crash();
  const databaseUrl = postgres.url;
  const service = started.use(await startService({ queue, databaseUrl, apps: APPS }));
  const traffic = started.use(await Traffic.start(service, { sms, chat, codes, perSecond: rate }));
  const pids = APPS.map((app) => service.stack.process(app).pid);
  const outcome = await makeFaults({
    service,
    traffic,
    sizes,
    faults: { [name]: failing(disk, postgres) },
    rules: (seen) => [
      ...answeredBy503(seen),
      ...broken({ [`a call took ${(seen.slowestMs / 1_000).toFixed(1)} s`]: seen.slowestMs > ANSWER_MS }),
    ],
  });
  const restarted = APPS.filter((app, i) => service.stack.process(app).pid !== pids[i]);
  outcome.broken.push(...broken({ [`processes ended: ${restarted.join(', ')}`]: restarted.length > 0 }));
  return outcome;
}

/** Fails the disk for some seconds. Postgres may end of it, and is started again when the disk is back. */
function failing(disk: SmallDisk, postgres: OwnPostgres): Fault {
  return async (_, seconds) => {
    await disk.fail();
    await delay(seconds * 1_000);
    await postgres.process.stop('SIGQUIT');
    await disk.mend();
    await postgres.crash();
  };
}
