import { expect, test } from '@jest/globals';
import { block } from '@signalbox/test/clocks';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openDataSource } from './data-source.ts';

/** Pings within the time after which a Postgres that answers none of them is silent, and one more. */
const PINGS = 5;

const SILENT = 'Postgres does not answer';

test('waiting and new statements fail while Postgres is silent, and it serves once it answers', async () => {
  await using t = await setup();

  t.proxy.set({ isStalled: true });
  const waiting = await Promise.all(Array.from({ length: 4 }, () => t.failureOf(t.ask())));
  const late = await t.failureOf(t.ask());

  expect([...waiting, late]).toEqual(Array(5).fill(SILENT));
  t.proxy.set({});
  await t.untilServed();
});

test('connections that lost their other end are replaced', async () => {
  await using t = await setup();
  await t.ask();

  t.proxy.loseAll();

  expect(await t.failureOf(t.ask())).toBe(SILENT);
  await t.untilServed();
});

test('a connection that lost its other end fails while others are answered', async () => {
  await using t = await setup();
  await t.ask();
  await t.untilPinged(1);
  t.proxy.loseAll();

  let failure: string | undefined;
  void t.failureOf(t.ask()).then((message) => (failure = message));
  await waitFor(async () => (await t.ask()) && failure !== undefined, { otherwise: 'it still waits' });

  expect(failure).toBe('Connection terminated unexpectedly');
});

test('a Postgres that is only busy fails no statement', async () => {
  await using t = await setup();
  await using locked = await t.lock();

  const waiting = [t.write(), t.write()];
  await t.untilPinged(PINGS);
  await locked.release();

  expect(await Promise.all(waiting.map(t.failureOf))).toEqual(['no failure', 'no failure']);
});

test('a process that was blocked does not take Postgres for silent', async () => {
  await using t = await setup();

  const asked = t.failureOf(t.ask());
  block(3_000);

  expect(await asked).toBe('no failure');
});

async function setup() {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createDatabase());
  const proxy = started.use(await startProxy(database.url));
  const options = { applicationName: 'test', poolSize: 2, commit: 'durable' } as const;
  const source = await openDataSource({ ...options, url: proxy.url, whenSilent: 'fail' });
  started.defer(() => source.destroy());
  const admin = await openDataSource({ ...options, applicationName: 'admin', url: database.url });
  started.defer(() => admin.destroy());
  const all = started.move();
  const ask = () => source.query<object[]>('SELECT');
  return {
    proxy,
    ask,
    failureOf: (asked: Promise<unknown>) =>
      asked.then(
        () => 'no failure',
        ({ message }: Error) => message,
      ),
    write: () => source.query(`UPDATE account SET name = 'changed'`),
    lock: async () => {
      const runner = admin.createQueryRunner();
      await runner.startTransaction();
      await runner.query('LOCK TABLE account');
      const release = () => (runner.isTransactionActive ? runner.commitTransaction() : Promise.resolve());
      return { release, [Symbol.asyncDispose]: () => release().then(() => runner.release()) };
    },
    untilPinged: async (pings: number) => {
      const seen = new Set<string>();
      const look = async () => {
        const rows = await admin.query<{ at: string }[]>(PINGED_AT);
        for (const { at } of rows) seen.add(at);
        return seen.size >= pings;
      };
      await waitFor(look, { otherwise: 'Postgres was not pinged' });
    },
    untilServed: () =>
      waitFor(
        () =>
          ask().then(
            () => true,
            () => false,
          ),
        { otherwise: 'Postgres did not serve again' },
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const PINGED_AT = `
  SELECT query_start::text AS at
    FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'test' AND query = 'SELECT 1'`;
