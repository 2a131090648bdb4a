import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftOvers, findNoted, writePidFile } from '../../tools/servers/pid-file.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { startPostgres } from '../../tools/servers/postgres.ts';
import { hasRedis, startRedis } from '../../tools/servers/redis.ts';
import { chooseParent, makeServerFolder } from './server-folder.ts';

declare global {
  /** Left by the set-up for the tear-down, which Jest runs in the same process. */
  var stopTestServers: (() => Promise<void>) | undefined;
}

const PREFIX = 'signalbox-test-';
/** Folder of compiled code, which all processes that tests start share. */
const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.signalbox/compile-cache');
/**
 * Test databases do not survive a crash: tests that crash a Postgres start their own. They are too short-lived for
 * autovacuum, which would also remove the cached catalogs of the template.
 */
const POSTGRES_SETTINGS = {
  max_connections: '800',
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  autovacuum_naptime: '1h',
};

/**
 * Starts one Postgres and one Redis for all tests of this run, in a folder that is removed at its end. Tests reach them
 * by `createDatabase()` and `describeOnEachQueue()`, which read the environment.
 */
export default async function globalSetup(): Promise<void> {
  const parent = chooseParent();
  process.env['TEST_SERVER_DATA'] = parent;
  for (const folder of new Set([parent, tmpdir()])) await removeLeftOvers(folder);
  const dir = makeServerFolder(PREFIX);
  writePidFile(join(dir, 'run.owner'), process.pid);
  await using started = new AsyncDisposableStack();
  started.defer(() => rmSync(dir, { recursive: true, force: true }));
  const postgres = started.use(
    await startPostgres({ dir, port: await freePort(), settings: POSTGRES_SETTINGS }),
  );
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
  // loading a file's modules may take longer than a pool waits for a connection
  process.env.PGCONNECT_TIMEOUT = '30';
  if (hasRedis()) {
    const redis = started.use(await startRedis({ dir, port: await freePort() }));
    process.env.TEST_REDIS_URL = redis.url;
  }
  const all = started.move();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void all.disposeAsync().finally(() => process.exit(1)));
  }
  globalThis.stopTestServers = () => all.disposeAsync();
}

/** Removes the folders and processes of killed runs. */
async function removeLeftOvers(parent: string): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const dir = join(parent, name);
    const found = statSync(dir, { throwIfNoEntry: false }); // another run may have removed it
    const isOld = found !== undefined && Date.now() - found.mtimeMs >= 10_000;
    if (found?.uid !== process.getuid?.() || !isOld || findNoted(join(dir, 'run.owner')) !== undefined)
      continue;
    await endLeftOvers(dir);
    rmSync(dir, { recursive: true, force: true });
  }
}
