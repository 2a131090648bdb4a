import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openDataSource } from './data-source.ts';
import { listPendingMigrations, migrate } from './migrate.ts';

const SOURCE = { applicationName: 'test', poolSize: 1, commit: 'durable' } as const;

test('a migration that gets no lock because the service runs is repeated until it gets it', async () => {
  await using rows = await openRows();
  const countFailures = async (): Promise<number> => {
    const [row]: [{ count: number }] = await rows.db.query(
      `SELECT xact_rollback::integer AS count FROM pg_stat_database WHERE datname = current_database()`,
    );
    return row.count;
  };
  const before = await countFailures();
  let migrated: Promise<void> | undefined;
  await rows.db.transaction(async (service) => {
    await service.query('LOCK TABLE migration IN ACCESS EXCLUSIVE MODE');
    migrated = migrate(rows.url);
    migrated.catch(() => undefined);

    await waitFor(async () => (await countFailures()) > before, {
      otherwise: 'the migration did not give up its wait for the lock',
    });
  });

  await expect(migrated).resolves.toBeUndefined();
});

test('processes that migrate one empty database wait for one another', async () => {
  await using rows = await openRows();
  const url = `${rows.url}_empty`;
  const name = new URL(url).pathname.slice(1);
  await rows.db.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  try {
    await Promise.all([migrate(url), migrate(url), migrate(url)]);

    const migrated = await openDataSource({ ...SOURCE, url });
    expect(await listPendingMigrations(migrated)).toEqual([]);
    await migrated.destroy();
  } finally {
    await rows.db.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});

test('a statement of a migration may run as long as a large table needs', async () => {
  await using rows = await openRows();
  const source = await openDataSource({ ...SOURCE, url: rows.url, statements: 'long' });
  try {
    expect(await source.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '0' }]);
    expect(await rows.db.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '8s' }]);
  } finally {
    await source.destroy();
  }
});
