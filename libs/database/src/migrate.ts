import { pathToFileURL } from 'node:url';
import { openDataSource } from './data-source.ts';

/** Any number, the same in every process: two that migrate at once take turns. */
const MIGRATION_LOCK = 7_301_995;

/** Brings a database's tables to this version. Harmless to repeat, and safe to run from several processes at once. */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = await openDataSource({ url: databaseUrl, applicationName: 'signalbox-migrate', poolSize: 2, commit: 'durable' });
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations({ transaction: 'all' });
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await lock.release();
    await source.destroy();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Error('DATABASE_URL is not set: name the database to migrate, as postgres://user:password@host:5432/name');
  await migrate(url);
  process.stdout.write('The database is up to date.\n');
}
