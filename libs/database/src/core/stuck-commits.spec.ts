import { expect, test } from '@jest/globals';
import { startPrimary } from '@signalbox/test/standby';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openDataSource } from './data-source.ts';

const STUCK = 'Postgres answers, but commits nothing';
const NO_FAILURE = 'no failure';

test('statements fail while Postgres answers but commits nothing, and it serves afterwards', async () => {
  await using t = await setup();

  await t.setStandby('absent');
  await t.untilWriteEndsBy(STUCK);
  const failures = [await t.failureOf(t.read()), await t.failureOf(t.write())];
  await t.setStandby('');

  expect(failures).toEqual([STUCK, STUCK]);
  await t.untilWriteEndsBy(NO_FAILURE);
});

test('the next host is used while the first one commits nothing', async () => {
  await using next = await startPrimary();
  await using t = await setup(next.url);

  await t.setStandby('absent');
  await t.untilWriteEndsBy(STUCK);
  await t.untilWriteEndsBy(NO_FAILURE);

  expect(await t.source.query('SHOW synchronous_standby_names')).toEqual([{ synchronous_standby_names: '' }]);
});

/** @param next the URL of another host, which is used after the first one */
async function setup(next?: string) {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await startPrimary());
  const options = { url, applicationName: 'test', poolSize: 2, commit: 'durable' } as const;
  const admin = await openDataSource(options);
  started.defer(() => admin.destroy());
  const hosts = next === undefined ? url : await withHost(url, next);
  const source = await openDataSource({ ...options, url: hosts, whenSilent: 'fail' });
  started.defer(() => source.destroy());
  const all = started.move();
  const failureOf = (asked: Promise<unknown>) =>
    asked.then(
      () => NO_FAILURE,
      ({ message }: Error) => message,
    );
  const write = () => source.query(`SELECT pg_logical_emit_message(true, 'test', '')`);
  return {
    source,
    failureOf,
    write,
    read: () => source.query('SELECT'),
    untilWriteEndsBy: (message: string) =>
      waitFor(async () => (await failureOf(write())) === message, {
        otherwise: `no write ended by: ${message}`,
      }),
    /** Makes commits wait for a synchronous standby of this name, or for no one when it is empty. */
    setStandby: async (name: string) => {
      await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await admin.query('SELECT pg_reload_conf()');
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Adds the host of another Postgres to a URL, and gives its user the password of this one. */
async function withHost(url: string, next: string): Promise<string> {
  const { host, password } = new URL(url);
  const other = await openDataSource({ url: next, applicationName: 'test', poolSize: 1, commit: 'durable' });
  await other.query(`ALTER USER CURRENT_USER PASSWORD '${password}'`);
  await other.destroy();
  return url.replace(host, `${host},${new URL(next).host}`);
}
