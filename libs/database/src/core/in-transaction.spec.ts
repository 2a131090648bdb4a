import { expect } from '@jest/globals';
import { createDatabase, queryOnce } from '@signalbox/test/database';
import { startPgBouncer, testWithPgBouncer } from '@signalbox/test/pgbouncer';
import { inTransaction } from './in-transaction.ts';

testWithPgBouncer('long statements have no limit through a pooler that drops settings', async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await queryOnce(database.url, `ALTER DATABASE ${name} SET statement_timeout = '8s'`);
  await using bouncer = await startPgBouncer(database.url);

  const show = (url: string, statements: 'bounded' | 'long') =>
    inTransaction(url, 'test', (db) => db.query('SHOW statement_timeout'), statements);

  expect(await show(bouncer.url, 'long')).toEqual([{ statement_timeout: '0' }]);
  expect(await show(bouncer.url, 'bounded')).toEqual([{ statement_timeout: '8s' }]);
});
