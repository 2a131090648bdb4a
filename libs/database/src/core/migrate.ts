import { pathToFileURL } from 'node:url';
import type { QueryRunner } from 'typeorm';
import { openDataSource } from './data-source.ts';

/** The key of the advisory lock that lets one process migrate at a time. Any number serves. */
const MIGRATION_LOCK = 7_301_995;

/** `server_version_num` of the first Postgres with uuidv7(). */
const OLDEST_POSTGRES = 180_000;

/**
 * Migrates a database to the schema of this version. Harmless to repeat, and safe to run from several processes concurrently.
 *
 * @throws Error when the server is older than Postgres 18
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = await openDataSource({
    url: databaseUrl,
    applicationName: 'signalbox-migrate',
    poolSize: 2,
    commit: 'durable',
  });
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await requireVersion(lock);
    await source.runMigrations({ transaction: 'all' });
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await lock.release();
    await source.destroy();
  }
}

async function requireVersion(db: QueryRunner): Promise<void> {
  const [row]: { number: number; name: string }[] = await db.query(
    `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`,
  );
  if (row && row.number < OLDEST_POSTGRES)
    throw new Error(`Signalbox needs Postgres 18 or newer, and DATABASE_URL leads to ${row.name}.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const url = process.env['DATABASE_URL'];
  if (!url)
    throw new Error(
      'DATABASE_URL is not set: name the database to migrate, as postgres://user:password@host:5432/name',
    );
  await migrate(url);
  process.stdout.write('The database is up to date.\n');
}
