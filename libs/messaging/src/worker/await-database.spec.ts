import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { createDatabase } from '@signalbox/test/database';
import { startProxy } from '@signalbox/test/proxy';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { awaitDatabase } from './await-database.ts';

test('a process that starts before its database logs the wait in two lines', async () => {
  await using database = await createDatabase();
  await using proxy = await startProxy(database.url);
  await proxy.cut();
  const { logger, lines } = openLog();

  const waiting = awaitDatabase(proxy.url, 'test', logger);
  await waitFor(() => lines.length > 0, { otherwise: 'the wait was not logged' });
  await proxy.mend();
  await waiting;

  expect(lines).toMatchObject([
    { event: 'dependency.lost', dependency: 'database', message: expect.stringContaining('ECONNREFUSED') },
    { event: 'dependency.back', dependency: 'database', awayMs: expect.any(Number) },
  ]);
});

test('a database that answers is not logged', async () => {
  await using database = await createDatabase();
  const { logger, lines } = openLog();

  await awaitDatabase(database.url, 'test', logger);

  expect(lines).toEqual([]);
});

test('a server without the TLS that the address asks for ends the start', async () => {
  await using database = await createDatabase();
  const { logger, lines } = openLog();

  await expect(awaitDatabase(`${database.url}?sslmode=verify-full`, 'test', logger)).rejects.toThrow(
    'The server does not support SSL connections',
  );

  expect(lines).toEqual([]);
});

function openLog() {
  const lines: object[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  return { logger, lines };
}
