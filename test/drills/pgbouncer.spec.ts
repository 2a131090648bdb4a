import { expect } from '@jest/globals';
import { migrate } from '@signalbox/database/core/migrate';
import { createDatabase, queryOnce } from '../support/database.ts';
import { startPgBouncer, testWithPgBouncer } from '../support/pgbouncer.ts';
import { startService } from '../support/service.ts';
import { POOLED_SETTINGS } from '@signalbox/database/core/session-settings';
import { endLoad, keepLoad } from './figures.ts';

testWithPgBouncer('the service works through a PgBouncer in transaction mode that restarts', async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(POOLED_SETTINGS))
    await queryOnce(database.url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  await using bouncer = await startPgBouncer(database.url);
  await expect(migrate(bouncer.url)).rejects.toThrow('DATABASE_URL leads to a pooler');
  await using service = await startService({
    queue: 'redis',
    databaseUrl: database.url,
    env: { DATABASE_URL: bouncer.url },
  });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad();
  await keepLoad(load);

  await bouncer.process.stop('SIGQUIT');
  await bouncer.process.start();

  await keepLoad(load);
  const figures = await endLoad('pgbouncer, killed', load, tenant);
  expect(figures).toMatchObject({ lost: 0, foreign: 0 });
  expect(Object.keys(figures.failures).filter((failure) => failure !== '503')).toEqual([]);
});
