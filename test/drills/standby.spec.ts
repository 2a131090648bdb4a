import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { hang } from '../support/hang.ts';
import { queryOnce } from '../support/database.ts';
import type { Call } from '../support/load.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';
import { type OwnPostgres, backUp, followLines, startCopy, startPrimary } from '../support/standby.ts';
import { endLoad, keepLoad, testDrill } from './figures.ts';

testWithRedis(
  'a synchronous standby takes over from a killed primary, and nothing accepted is lost',
  async () => {
    await using t = await start();

    await t.pair.primary.process.stop('SIGKILL');
    await queryOnce(t.pair.standby.url, 'SELECT pg_promote()');

    await keepLoad(t.load);
    const figures = await endLoad('standby, killed primary', t.load, t.tenant);
    expect(figures).toMatchObject({ lost: 0, foreign: 0 });
    expect(Object.keys(figures.failures)).toEqual(['503']);
  },
);

testDrill(
  'a synchronous standby takes over from a primary that hangs, and is kept when it wakes up',
  async () => {
    await using t = await start();
    const { pair, load, tenant } = t;
    const hungAt = Date.now();

    const wake = hang(pair.primary.process.pid ?? 0);
    try {
      await queryOnce(pair.standby.url, 'SELECT pg_promote()');
      await load.more(1, RECOVERY_MS);
      await untilUsed(pair.standby, ['api', 'sms-worker', 'dlr-worker']);
    } finally {
      wake();
    }

    const first503 = Math.min(...load.calls.filter(({ status }) => status === 503).map(endOf)) - hungAt;
    const servedAgain =
      Math.min(...[...load.accepted.values()].filter((at) => at > hungAt + first503)) - hungAt;
    await keepLoad(load);
    const figures = await endLoad('standby, hanging primary', load, tenant);
    process.stdout.write(`first 503 after ${first503} ms, accepted again after ${servedAgain} ms\n`);
    expect(figures).toMatchObject({ lost: 0, foreign: 0 });
    expect(Object.keys(figures.failures)).toEqual(['503']);
  },
);

const endOf = ({ at, tookMs }: Call): number => at + tookMs;

/** Starts the service with a load on a pair. */
async function start() {
  await using started = new AsyncDisposableStack();
  const pair = started.use(await startPair());
  const service = started.use(await startService({ queue: 'redis', databaseUrl: pair.url }));
  const tenant = started.use(await service.createTenant());
  const load = started.use(tenant.startLoad());
  await keepLoad(load);
  const all = started.move();
  return { pair, tenant, load, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

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
  await queryOnce(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'drill'`);
  await queryOnce(primary.url, 'SELECT pg_reload_conf()');
  await waitFor(async () => (await queryOnce(primary.url, IN_SYNC)).length === 1, {
    otherwise: 'the standby did not become synchronous',
  });
  const url = primary.url.replace(/@.*?\//, `@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/`);
  const all = started.move();
  return { primary, standby, url, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Waits until each of some apps is connected to a server: none is left on a former primary. */
async function untilUsed({ url }: OwnPostgres, apps: readonly string[]): Promise<void> {
  const areConnected = async (): Promise<boolean> => {
    const rows = await queryOnce<{ app: string }>(url, CONNECTED);
    return apps.every((each) => rows.some(({ app }) => app === each));
  };
  await waitFor(areConnected, { otherwise: 'an app is not connected to the new primary' });
}

const CONNECTED = 'SELECT DISTINCT application_name AS app FROM pg_stat_activity';

const IN_SYNC = `SELECT FROM pg_stat_replication WHERE application_name = 'drill' AND sync_state = 'sync'`;
