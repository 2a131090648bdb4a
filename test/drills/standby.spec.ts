import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { testWithRedis } from '../support/redis.ts';
import { startService } from '../support/service.ts';
import { backUp, followLines, queryServer, startCopy, startPrimary } from '../support/standby.ts';
import { endLoad, keepLoad } from './figures.ts';

testWithRedis(
  'a synchronous standby takes over from a killed primary, and nothing accepted is lost',
  async () => {
    await using primary = await startPrimary();
    await using backup = await backUp(primary);
    await using standby = await startCopy(backup, followLines(primary), 'standby.signal');
    await queryServer(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'drill'`);
    await queryServer(primary.url, 'SELECT pg_reload_conf()');
    await waitFor(async () => (await queryServer(primary.url, IN_SYNC)).length === 1, {
      otherwise: 'the standby did not become synchronous',
    });
    const databaseUrl = primary.url.replace(
      /@.*?\//,
      `@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/`,
    );
    await using service = await startService({ queue: 'redis', databaseUrl });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    await keepLoad(load);

    await primary.process.stop('SIGKILL');
    await queryServer(standby.url, 'SELECT pg_promote()');

    await keepLoad(load);
    const figures = await endLoad('standby, killed primary', load, tenant);
    expect(figures).toMatchObject({ lost: 0, foreign: 0 });
    expect(Object.keys(figures.failures)).toEqual(['503']);
  },
);

const IN_SYNC = `SELECT FROM pg_stat_replication WHERE application_name = 'drill' AND sync_state = 'sync'`;
