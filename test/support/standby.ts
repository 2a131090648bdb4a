import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { writePidFile } from '../../tools/servers/pid-file.ts';
import { findPostgresHome } from '../../tools/servers/postgres-home.ts';
import { type Postgres, startPostgres } from '../../tools/servers/postgres.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { makeServerFolder } from './server-folder.ts';

/** Settings of a primary that can be copied and followed. */
const REPLICATED = { wal_level: 'replica', max_wal_senders: '10', wal_keep_size: '1GB' };

/** A private Postgres with its folder; both are removed on disposal. */
export interface OwnPostgres extends Postgres {
  dir: string;
  port: number;
}

/** Starts a Postgres that can have standbys and be backed up. */
export async function startPrimary(settings: Record<string, string> = {}): Promise<OwnPostgres> {
  return start(makeDir(), { ...REPLICATED, ...settings });
}

/**
 * Copies a running Postgres as a base backup does, and starts the copy.
 *
 * @param recovery lines of its configuration, as `restore_command`
 * @param signal the file that names the kind of recovery
 */
export async function startCopy(
  backup: BaseBackup,
  recovery: readonly string[],
  signal: 'standby.signal' | 'recovery.signal',
): Promise<OwnPostgres> {
  const dir = makeDir();
  cpSync(backup.dir, dir, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const { data, user } = findPostgresHome(dir);
  chmodSync(data, 0o700);
  writeFileSync(join(data, signal), '');
  appendFileSync(join(data, 'postgresql.auto.conf'), `${recovery.join('\n')}\n`);
  if (user) chownAll(dir, data, user);
  return start(dir, REPLICATED);
}

/** A copy of the data of a server. */
export interface BaseBackup extends AsyncDisposable {
  dir: string;
}

/** Copies the data of a running Postgres between the start and the end of a backup. */
export async function backUp(primary: OwnPostgres): Promise<BaseBackup> {
  const dir = makeDir();
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('drill', fast => true)`);
    const copy = findPostgresHome(dir).data;
    cpSync(primary.data, copy, { recursive: true, filter: (path) => isBackedUp(primary.data, path) });
    for (const folder of ['pg_wal', 'pg_replslot'])
      mkdirSync(join(copy, folder), { recursive: true, mode: 0o700 });
    cpSync(join(primary.dir, 'postgres.password'), join(dir, 'postgres.password'));
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
    chmodSync(copy, 0o700);
  } finally {
    await client.end();
  }
  return { dir, [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true, force: true }) };
}

/** Returns the lines that make a copy follow a primary as the standby `drill`. */
export function followLines(primary: OwnPostgres): string[] {
  const { username, password } = new URL(primary.url);
  return [
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${username} password=${password} application_name=drill'`,
  ];
}

async function start(dir: string, settings: Record<string, string>): Promise<OwnPostgres> {
  const port = await freePort();
  const postgres = await startPostgres({ dir, port, settings });
  const dispose = async () => {
    await postgres.process.stop('SIGQUIT');
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...postgres, dir, port, [Symbol.asyncDispose]: dispose };
}

/** A folder that the user of Postgres may enter; a killed run leaves it to the next one. */
function makeDir(): string {
  const dir = makeServerFolder('signalbox-test-postgres-');
  chmodSync(dir, 0o711);
  writePidFile(join(dir, 'run.owner'), process.pid);
  return dir;
}

function isBackedUp(data: string, path: string): boolean {
  const name = path.slice(data.length + 1);
  return !/^(pg_wal|pg_replslot)(\/|$)|^postmaster\.(pid|opts)$/.test(name);
}

function chownAll(dir: string, data: string, user: { uid: number; gid: number }): void {
  const inside = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name));
  for (const path of [data, ...inside]) chownSync(path, user.uid, user.gid);
  chmodSync(dir, 0o711);
}
