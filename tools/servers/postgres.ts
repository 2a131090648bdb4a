import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { commandLineOf, endProcess } from './pid-file.ts';
import { findPostgresHome, giveTo } from './postgres-home.ts';
import type { PostgresHome } from './postgres-home.ts';
import { SECRET_ADVICE, keptSecret } from './secret-file.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { emptyLog, waitUntilUp } from './wait-until-up.ts';

export interface PostgresOptions {
  /** The folder that holds data, log and password; it exists. */
  dir: string;
  port: number;
  /** Server settings over SETTINGS. */
  settings?: Record<string, string>;
  onEvent?: ((text: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Postgres extends AsyncDisposable {
  /** Of the database `signalbox`. */
  url: string;
  data: string;
  process: SupervisedProcess;
  /** Cuts it off as a crash would, starts it and waits until it answers. */
  crash(): Promise<void>;
}

const USER = 'signalbox';
const DATABASE = 'signalbox';
/** Maximum time of the checkpoint of a shutdown, which a slow disk delays. */
const CHECKPOINT_MS = 60_000;

/** For a laptop. What makes an answered commit durable (fsync, synchronous_commit, full_page_writes) is left on. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '1GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '15min',
  backend_flush_after: '256kB',
  random_page_cost: '1.1',
  jit: 'off',
};

/**
 * Starts the embedded Postgres of a folder, with the data of earlier starts if there is any, and waits until it
 * answers. It listens on 127.0.0.1 only, behind a generated password.
 *
 * @throws Error with the end of its log when it does not come up within five minutes, or that names a file of its
 * password that is of other data
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dir, port } = options;
  const home = findPostgresHome(dir);
  const passwordFile = join(dir, 'postgres.password');
  const password = keptSecret(passwordFile, () => randomBytes(24).toString('base64url'));
  if (!existsSync(home.data)) await initialise(home, password);
  const logFile = join(dir, 'postgres.log');
  emptyLog(logFile);
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = new SupervisedProcess({
    name: 'postgres',
    command: join(home.programs, 'bin/postgres'),
    args: ['-D', home.data, '-p', String(port), ...settings],
    user: home.user,
    logFile,
    pidFile: join(dir, 'postgres.pid'),
    // Fast shutdown: ends sessions and writes a checkpoint.
    stopSignal: 'SIGINT',
    stopTimeoutMs: CHECKPOINT_MS,
    prepare: () => clearLock(home.data),
    onEvent: options.onEvent,
  });
  const url = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  const start = async () => {
    await server.start();
    await waitUntilUp(server, () => answers(url('postgres')), logFile, options.signal);
  };
  try {
    await start();
    await createDatabaseOnce(url('postgres'));
  } catch (error) {
    await server.stop();
    if (!isRefusal(error)) throw error;
    throw new Error(`the file ${passwordFile} does not hold the password of the database. ${SECRET_ADVICE}`, {
      cause: error,
    });
  }
  const crash = async () => {
    await server.stop('SIGQUIT');
    await start();
  };
  return {
    url: url(DATABASE),
    data: home.data,
    process: server,
    crash,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Data is made aside and renamed, so that a half-made cluster is never started. */
async function initialise(home: PostgresHome, password: string): Promise<void> {
  const aside = `${home.data}.new`;
  const passwordFile = `${home.data}.initial-password`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [aside, passwordFile]) giveTo(home.user, path);
  const flags = [
    '--auth=scram-sha-256',
    // nobody guesses a random password, and each connection would compute 4,096 iterations
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  try {
    await promisify(execFile)(
      join(home.programs, 'bin/initdb'),
      [`--pgdata=${aside}`, `--username=${USER}`, `--pwfile=${passwordFile}`, ...flags],
      { ...home.user, cwd: '/' },
    );
    renameSync(aside, home.data);
  } catch (cause) {
    throw new Error(
      `the database could not be made: ${(cause as { stderr?: string }).stderr?.trim() ?? String(cause)}`,
      { cause },
    );
  } finally {
    rmSync(passwordFile);
  }
}

/**
 * Clears the lock that a killed Postgres left in its data. One that still runs on this data is ended; when the system
 * gave its pid to somebody else, Postgres itself would refuse to start.
 */
async function clearLock(data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
  if (commandLineOf(pid).includes(data)) await endProcess(pid, 'SIGINT', CHECKPOINT_MS);
  rmSync(lock, { force: true });
}

/** Returns true also for a server that refuses the password. */
async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return isRefusal(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns true for invalid_password. */
function isRefusal(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === '28P01';
}

async function createDatabaseOnce(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
