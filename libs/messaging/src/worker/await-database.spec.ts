import { expect, test } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { freePort } from '@signalbox/tools/servers/ports';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { EntityManager } from 'typeorm';
import { awaitDatabase } from './await-database.ts';
import { databaseModule } from './database.module.ts';
import { whileAway } from './while-away.ts';

const AT = { app: 'test', host: '127.0.0.1' };

test('a process that starts before its database logs the wait in two lines', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  await proxy.cut();
  const { logger, lines } = openLog();

  const port = await freePort();

  const waiting = awaitDatabase({ ...AT, url: proxy.url, logger, port });
  await waitFor(() => lines.length > 0, { otherwise: 'the wait was not logged' });
  await proxy.mend();
  await waiting;

  expect(lines).toMatchObject([
    { event: 'dependency.lost', dependency: 'database', message: expect.stringContaining('ECONNREFUSED') },
    { event: 'dependency.back', dependency: 'database', awayMs: expect.any(Number) },
  ]);
});

test('a process that waits for its database is alive and not ready', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  await proxy.cut();
  const { logger, lines } = openLog();
  const port = await freePort();
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, answer.headers.get('retry-after'), await answer.json()];
  };
  const notReady = [503, '1', { status: 'not ready', waitingFor: ['database'] }];

  const waiting = awaitDatabase({ ...AT, url: proxy.url, logger, port });
  await waitFor(() => lines.length > 0, { otherwise: 'the wait was not logged' });

  expect([await ask('/healthz'), await ask('/readyz'), await ask('/v1/sms')]).toEqual([
    [200, null, { status: 'ok' }],
    notReady,
    notReady,
  ]);
  await proxy.mend();
  await waiting;
  await expect(ask('/healthz')).rejects.toThrow('fetch failed');
});

test('a database that goes away after the wait is waited for again', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  await proxy.cut();
  const { logger, lines } = openLog();
  const options = { url: proxy.url, applicationName: 'test', poolSize: 1, commit: 'durable' as const };
  const module = { module: class {}, imports: [databaseModule(options, logger)] };

  const starting = NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  await waitFor(() => lines.length > 0, { otherwise: 'the wait was not logged' });
  await proxy.mend();
  const app = await starting;

  expect(await app.get(EntityManager).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await app.close();
  expect(lines).toMatchObject([{ event: 'dependency.lost' }, { event: 'dependency.back' }]);
});

test('a refusal ends a step of the start once its tries are used up', async () => {
  const { logger } = openLog();
  const errors = [refusal(), outage(), refusal()];
  let tries = 0;
  const step = async () => {
    throw errors[tries++];
  };

  await expect(whileAway(step, { logger, refusals: 1 })).rejects.toThrow('no such database');

  expect(tries).toBe(3);
});

test('a database that answers is not logged', async () => {
  await using database = await createDatabase();
  const { logger, lines } = openLog();

  await awaitDatabase({ ...AT, url: database.url, logger, port: 0 });

  expect(lines).toEqual([]);
});

test('a server without the TLS that the address asks for ends the start', async () => {
  await using database = await createDatabase();
  const { logger, lines } = openLog();

  const url = `${database.url}?sslmode=verify-full`;
  await expect(awaitDatabase({ ...AT, url, logger, port: 0 })).rejects.toThrow(
    'The server does not support SSL connections',
  );

  expect(lines).toEqual([]);
});

function refusal(): Error {
  return Object.assign(new Error('no such database'), { code: '3D000' });
}

function outage(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

function openLog() {
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  return { logger, lines };
}
