import { execFileSync } from 'node:child_process';
import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { Call } from '../support/load.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';
import {
  type OwnPostgres,
  backUp,
  followLines,
  queryServer,
  startCopy,
  startPrimary,
} from '../support/standby.ts';
import { endLoad, keepLoad, testDrill } from './figures.ts';

testWithRedis(
  'a synchronous standby takes over from a killed primary, and nothing accepted is lost',
  async () => {
    await using pair = await startPair();
    await using service = await startService({ queue: 'redis', databaseUrl: pair.url });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    await keepLoad(load);

    await pair.primary.process.stop('SIGKILL');
    await queryServer(pair.standby.url, 'SELECT pg_promote()');

    await keepLoad(load);
    const figures = await endLoad('standby, killed primary', load, tenant);
    expect(figures).toMatchObject({ lost: 0, foreign: 0 });
    expect(Object.keys(figures.failures)).toEqual(['503']);
  },
);

testDrill(
  'a synchronous standby takes over from a primary that hangs, and is kept when it wakes up',
  async () => {
    await using pair = await startPair();
    await using service = await startService({ queue: 'redis', databaseUrl: pair.url });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    await keepLoad(load);
    const hungAt = Date.now();

    const wake = hang(pair.primary.process.pid ?? 0);
    try {
      await queryServer(pair.standby.url, 'SELECT pg_promote()');
      await load.more(1, RECOVERY_MS);
    } finally {
      wake();
    }

    const first503 = Math.min(...load.calls.filter(({ status }) => status === 503).map(endOf)) - hungAt;
    const servedAgain = Math.max(...load.accepted.values()) - hungAt;
    await keepLoad(load);
    const figures = await endLoad('standby, hanging primary', load, tenant);
    process.stdout.write(`first 503 after ${first503} ms, accepted again after ${servedAgain} ms\n`);
    expect(figures.lost).toBe(0);
    expect(Object.keys(figures.failures)).toEqual(['503']);
  },
);

const endOf = ({ at, tookMs }: Call): number => at + tookMs;

interface Pair extends AsyncDisposable {
  primary: OwnPostgres;
  standby: OwnPostgres;
  /** The DATABASE_URL that names both. */
  url: string;
}

/** Starts a primary and its synchronous standby. */
async function startPair(): Promise<Pair> {
  await using started = new AsyncDisposableStack();
  const primary = started.use(await startPrimary());
  const backup = started.use(await backUp(primary));
  const standby = started.use(await startCopy(backup, followLines(primary), 'standby.signal'));
  await queryServer(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'drill'`);
  await queryServer(primary.url, 'SELECT pg_reload_conf()');
  await waitFor(async () => (await queryServer(primary.url, IN_SYNC)).length === 1, {
    otherwise: 'the standby did not become synchronous',
  });
  const url = primary.url.replace(/@.*?\//, `@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/`);
  const all = started.move();
  return { primary, standby, url, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Stops a Postgres with all its processes, without ending a connection. @returns makes them go on */
function hang(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP'); // first, so that it starts no other
  const pids = [...childrenOf(postmaster), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

function childrenOf(parent: number): number[] {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  return pids.trim().split(/\s+/).map(Number);
}

const IN_SYNC = `SELECT FROM pg_stat_replication WHERE application_name = 'drill' AND sync_state = 'sync'`;
