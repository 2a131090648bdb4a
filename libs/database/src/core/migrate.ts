import { setTimeout } from 'node:timers/promises';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { listAppliedMigrations } from '../ops/system.ts';
import { openDataSource } from './data-source.ts';
import { STATEMENT_LIMITS } from './session-settings.ts';

/** The key of the advisory lock that lets one process migrate at a time. Any number serves. */
const MIGRATION_LOCK = 7_301_995;

/** `server_version_num` of the first Postgres with uuidv7(). */
export const OLDEST_POSTGRES = 180_000;

/**
 * Attempts to get a lock that transactions of the running service hold. With the waits, they last about five minutes.
 */
const LOCK_ATTEMPTS = 100;

const RETRY_MS = 1_000;
const POLL_MS = 250;

/**
 * Migrates a database to the schema of this version. Harmless to repeat, and safe to run from several processes
 * concurrently while the service runs: each migration commits by itself, none keeps the service waiting behind it for
 * a lock longer than two seconds, and one that got no lock is repeated.
 *
 * @throws Error when the server is older than Postgres 18, the address leads to a pooler, or a lock is not free for
 * minutes
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = await open(databaseUrl);
  const lock = source.createQueryRunner();
  try {
    await requireSession(lock);
    await lockMigrations(lock);
    await requireVersion(lock);
    await runMigrations(databaseUrl);
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await lock.release();
    await source.destroy();
  }
}

/** Lists the migrations that the database still lacks, in their order; none when it has the schema of this version. */
export async function listPendingMigrations(db: DataSource): Promise<string[]> {
  const names = new Set(await listAppliedMigrations(db.manager));
  return db.migrations.map(({ constructor: { name } }) => name).filter((name) => !names.has(name));
}

function open(url: string): Promise<DataSource> {
  const options = { url, applicationName: 'signalbox-migrate', commit: 'durable' } as const;
  return openDataSource({ ...options, poolSize: 2, statements: 'long' });
}

/** Polls, because a process that waited inside a statement would be waited for by CREATE INDEX CONCURRENTLY. */
async function lockMigrations(db: QueryRunner): Promise<void> {
  for (;;) {
    const [row]: { taken: boolean }[] = await db.query('SELECT pg_try_advisory_lock($1) AS taken', [
      MIGRATION_LOCK,
    ]);
    if (row?.taken) return;
    await setTimeout(POLL_MS);
  }
}

/** Runs the pending migrations until they get their locks. */
async function runMigrations(databaseUrl: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await attemptMigrations(databaseUrl);
      return;
    } catch (error) {
      if (!isLockFailure(error) || attempt === LOCK_ATTEMPTS) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/**
 * Runs each migration in a separate transaction, unless it declines one. TypeORM keeps the connection of one that
 * fails.
 */
async function attemptMigrations(databaseUrl: string): Promise<void> {
  const source = await open(databaseUrl);
  try {
    await source.runMigrations({ transaction: 'each' });
  } finally {
    await source.destroy();
  }
}

/** lock_not_available or deadlock_detected: the migration changed nothing that its repetition does not change again. */
function isLockFailure(error: unknown): boolean {
  return error instanceof QueryFailedError && ['55P03', '40P01'].includes(error.driverError.code);
}

/** The lock of migrations belongs to a session, and a pooler gives each transaction another one. */
async function requireSession(db: QueryRunner): Promise<void> {
  const [row]: { limit: string }[] = await db.query(`SELECT current_setting('lock_timeout') AS limit`);
  if (row?.limit !== STATEMENT_LIMITS.long.lock)
    throw new Error(
      'DATABASE_URL leads to a pooler, which drops the settings of a session. Migrate with an address of Postgres itself.',
    );
}

async function requireVersion(db: QueryRunner): Promise<void> {
  const [row]: { number: number; name: string }[] = await db.query(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`,
  );
  if (row && row.number < OLDEST_POSTGRES)
    throw new Error(`Signalbox needs Postgres 18 or newer, and DATABASE_URL leads to ${row.name}.`);
}
