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

async function setup() {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await startPrimary());
  const options = { url, applicationName: 'test', poolSize: 2, commit: 'durable' } as const;
  const admin = await openDataSource(options);
  started.defer(() => admin.destroy());
  await admin.query('CREATE TABLE written (n int)');
  const source = await openDataSource({ ...options, whenSilent: 'fail' });
  started.defer(() => source.destroy());
  const all = started.move();
  const failureOf = (asked: Promise<unknown>) =>
    asked.then(
      () => NO_FAILURE,
      ({ message }: Error) => message,
    );
  const write = () => source.query('INSERT INTO written VALUES (1)');
  return {
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
