import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { DataSource } from 'typeorm';
import { requireWritable } from '../ops/readiness.ts';
import { dataSourceOptions, openDataSource } from './data-source.ts';
import { Hosts } from './hosts.ts';
import { poolUse } from './pool-use.ts';

const SETTINGS = { url: '', applicationName: 'test', poolSize: 2, commit: 'durable' } as const;

test('a read-only connection is replaced, so that writes succeed once they are allowed', async () => {
  await using t = await setup();
  await t.setReadOnly(true);

  await expect(t.write()).rejects.toMatchObject({ code: '25006' });
  await t.setReadOnly(false);

  await t.write();
});

test('a connection is replaced when a transaction on it was read-only', async () => {
  await using t = await setup();
  await t.setReadOnly(true);

  await expect(t.source.transaction((db) => db.query(WRITE))).rejects.toMatchObject({ code: '25006' });
  await t.setReadOnly(false);

  await t.source.transaction((db) => db.query(WRITE));
});

test('a session is in UTC, whatever the time zone of the database', async () => {
  await using database = await createDatabase();
  const admin = await openDataSource({ ...SETTINGS, url: database.url });
  await admin.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Kolkata'); END $$`,
  );
  await admin.destroy();
  const source = await openDataSource({ ...SETTINGS, url: database.url });

  expect(
    await source.query(`SELECT date_trunc('hour', now()) = date_trunc('hour', now(), 'UTC') AS same`),
  ).toEqual([{ same: true }]);
  await source.destroy();
});

test('a pool closes unused connections after a minute, unless it keeps them', () => {
  const idleTimeoutOf = (keepsIdle: boolean): unknown =>
    (dataSourceOptions({ ...SETTINGS, url: 'postgres://127.0.0.1/none', keepsIdle }).extra as object)[
      'idleTimeoutMillis' as never
    ];

  expect([idleTimeoutOf(false), idleTimeoutOf(true)]).toEqual([60_000, 0]);
});

test('a database is writable unless it refuses writes', async () => {
  await using t = await setup();
  await requireWritable(t.source.manager);
  await t.setReadOnly(true);

  await expect(requireWritable(t.source.manager)).rejects.toMatchObject({ code: '25006' });

  await t.setReadOnly(false);
  await requireWritable(t.source.manager);
});

test('no connection to a former host is used again', async () => {
  await using t = await setup();
  await using former = await startProxy(t.url);
  await using present = await startProxy(t.url);
  const url = former.url.replace(/@.*?\//, `@${new URL(former.url).host},${new URL(present.url).host}/`);
  const source = await openDataSource({ ...SETTINGS, url });
  const ask = () => Promise.allSettled([source.query('SELECT'), source.query('SELECT')]);
  await ask();

  Hosts.of(url).leave(former.url);

  const isUnused = async () => (await ask()).length > 0 && former.connections() === 0;
  await waitFor(isUnused, { otherwise: 'the former host is still used' });
  expect([await answers(source), present.connections()]).toEqual([true, 2]);
  await source.destroy();
});

test('an abandoned transaction is ended', async () => {
  await using t = await setup();

  expect(await t.source.query('SHOW idle_in_transaction_session_timeout')).toEqual([
    { idle_in_transaction_session_timeout: '20s' },
  ]);
});

test('the use of a pool is counted, also when it is closed', async () => {
  await using t = await setup();
  await t.write();
  expect(poolUse(t.source.manager)).toEqual({ used: 0, open: 1, waiting: 0, max: 2 });

  await t.source.destroy();

  expect(poolUse(t.source.manager)).toEqual({ used: 0, open: 0, waiting: 0, max: 0 });
});

const WRITE = `UPDATE account SET name = 'changed'`;

function answers(source: DataSource): Promise<boolean> {
  return source.query('SELECT').then(
    () => true,
    () => false,
  );
}

async function setup() {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await createDatabase());
  const admin = await openDataSource({ ...SETTINGS, url, applicationName: 'admin' });
  started.defer(() => admin.destroy());
  const source = await openDataSource({ ...SETTINGS, url });
  started.defer(async () => {
    if (source.isInitialized) await source.destroy();
  });
  const all = started.move();
  return {
    url,
    source,
    write: () => source.query(WRITE),
    /** Affects sessions that begin later; turning it on ends the others, as a failover does. */
    setReadOnly: async (isReadOnly: boolean) => {
      const name = new URL(url).pathname.slice(1);
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`);
      if (!isReadOnly) return;
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'test'`;
      await admin.query(end, [name]);
      await waitFor(() => answers(source), { otherwise: 'no new connection was opened' });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
