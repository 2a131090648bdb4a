import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { writePidFile } from '../../tools/servers/pid-file.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { findPostgresHome } from '../../tools/servers/postgres-home.ts';
import { SupervisedProcess } from '../../tools/servers/supervised-process.ts';
import { waitUntilUp } from '../../tools/servers/wait-until-up.ts';
import { queryOnce } from './database.ts';

/** First version that keeps prepared statements in transaction mode. */
const OLDEST = [1, 21];

/** `test`, or `test.skip` on a machine without PgBouncer 1.21 or newer. */
export const testWithPgBouncer = isInstalled() ? test : test.skip;

/** A PgBouncer in front of a database. */
export interface PgBouncer extends AsyncDisposable {
  url: string;
  process: SupervisedProcess;
}

/** Starts a PgBouncer in transaction mode, with the settings that docs/production.md asks for. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-test-pgbouncer-'));
  writePidFile(join(dir, 'run.owner'), process.pid);
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl);
  const port = await freePort();
  const users = join(dir, 'users.txt');
  const config = join(dir, 'pgbouncer.ini');
  const logFile = join(dir, 'pgbouncer.log');
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(config, iniOf({ hostname, serverPort, port, users, name: pathname.slice(1) }));
  writeFileSync(logFile, '');
  const { user } = findPostgresHome(dir);
  if (user) for (const path of [dir, users, config]) chownSync(path, user.uid, user.gid);
  chmodSync(dir, 0o711);
  const bouncer = new SupervisedProcess({
    name: 'pgbouncer',
    command: 'pgbouncer',
    args: [config],
    user,
    logFile,
    pidFile: join(dir, 'pgbouncer.pid'),
    stopSignal: 'SIGINT',
  });
  const url = databaseUrl.replace(`${hostname}:${serverPort}`, `127.0.0.1:${port}`);
  await bouncer.start();
  await waitUntilUp(
    bouncer,
    () =>
      queryOnce(url, 'SELECT').then(
        () => true,
        () => false,
      ),
    logFile,
  );
  const dispose = async () => {
    await bouncer.stop('SIGQUIT');
    rmSync(dir, { recursive: true, force: true });
  };
  return { url, process: bouncer, [Symbol.asyncDispose]: dispose };
}

interface Place {
  hostname: string;
  serverPort: string;
  port: number;
  users: string;
  name: string;
}

function iniOf({ hostname, serverPort, port, users, name }: Place): string {
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${serverPort} dbname=${name}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 20',
    'max_client_conn = 500',
    'max_prepared_statements = 500',
    'ignore_startup_parameters = options',
  ];
  return `${lines.join('\n')}\n`;
}

function isInstalled(): boolean {
  try {
    const [, major, minor] =
      /PgBouncer (\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })) ?? [];
    return Number(major) > OLDEST[0]! || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]!);
  } catch {
    return false;
  }
}
