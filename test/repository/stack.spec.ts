import { rmSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { removePostgresData } from '../../tools/servers/postgres-home.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startStack } from '../../tools/stack.ts';
import type { StackOptions } from '../../tools/stack.ts';
import { queryOnce } from '../support/database.ts';
import { testWithRedis } from '../support/redis.ts';
import { makeServerFolder } from '../support/server-folder.ts';

test('an app that is killed comes back and is ready again', async () => {
  await using t = await setup({ queue: 'postgres', apps: ['sms-worker'] });
  const worker = t.stack.process('sms-worker');
  const first = worker.pid;

  worker.kill('SIGKILL');

  await waitFor(async () => worker.pid !== undefined && worker.pid !== first && (await worker.isReady()), {
    otherwise: 'it did not come back',
  });
  const [sentence] = t.events.at(-1)?.split('\n') ?? [];
  expect(sentence).toBe('sms-worker stopped (killed by SIGKILL); starting it again in 1 s');
});

test('what was committed before Postgres crashed is there afterwards', async () => {
  await using t = await setup({ queue: 'postgres', apps: [] });
  await queryOnce(t.stack.databaseUrl, 'CREATE TABLE kept AS SELECT 1 AS id');

  await t.stack.postgres?.crash();

  expect(await queryOnce(t.stack.databaseUrl, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  expect(await queryOnce(t.stack.databaseUrl, 'SHOW synchronous_commit')).toEqual([
    { synchronous_commit: 'on' },
  ]);
  expect(await queryOnce(t.stack.databaseUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
});

testWithRedis('a stack on Redis has a separate Redis that can be stopped and started again', async () => {
  await using t = await setup({ queue: 'redis', apps: [] });
  const { redis } = t.stack;
  expect(t.stack.queueUrl).toBe(redis?.url);

  await redis?.stop();
  expect(redis?.process.pid).toBeUndefined();
  await redis?.start();

  await expect(redis?.flush()).resolves.toBeUndefined();
});

test('a stack with empty addresses starts its own servers', async () => {
  await using t = await setup({ databaseUrl: '', queueUrl: '', queue: 'postgres', apps: [] });

  expect(t.stack.databaseUrl).toBe(t.stack.postgres?.url);
  expect(t.stack.queueUrl).toBe(t.stack.databaseUrl);
});

test('an app that listens at one address is ready there', async () => {
  const env = { HOST: '127.0.0.2' };
  await using t = await setup({ queue: 'postgres', apps: ['otp-worker'], env });

  expect(t.stack.process('otp-worker').url).toMatch(/^http:\/\/127\.0\.0\.2:/);
});

test('a stack that cannot start says why and leaves nothing running', async () => {
  const databaseUrl = 'postgres://nobody:nothing@127.0.0.1:1/none';
  await expect(setup({ databaseUrl, queue: 'postgres' })).rejects.toThrow('ECONNREFUSED');
});

test('a stack with addresses of other servers says so before it starts anything', async () => {
  const addresses = { databaseUrl: 'mysql://user:secret@127.0.0.1/name', queueUrl: 'amqp://127.0.0.1' };
  await expect(setup({ ...addresses, apps: [] })).rejects.toThrow(
    /^DATABASE_URL must name a database of Postgres, as [^ ]+ QUEUE_URL must be redis:/,
  );
});

test.each(['redis://127.0.0.1:1', 'postgres://nobody:nothing@127.0.0.1:1/none'])(
  'a stack whose queue %s cannot be reached names the setting',
  async (queueUrl) => {
    await expect(setup({ queueUrl, apps: [] })).rejects.toThrow(/^QUEUE_URL cannot be used: /);
  },
);

async function setup(options: Omit<StackOptions, 'dir'>) {
  const dir = makeServerFolder('signalbox-stack-');
  const events: string[] = [];
  await using started = new AsyncDisposableStack();
  started.defer(() => {
    removePostgresData(dir);
    rmSync(dir, { recursive: true });
  });
  const stack = started.use(await startStack({ ...options, dir, onEvent: (text) => events.push(text) }));
  const all = started.move();
  return { stack, events, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
