import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { openQueries } from '../support/database.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';

const MESSAGES = 50;

testWithRedis('a run of reports that an outage of Postgres ends is repeated as the same run', async () => {
  await using service = await startService({ queue: 'redis', ownPostgres: true });
  await using tenant = await service.createTenant();
  const { stack, query } = service;
  const countOf = async (from: string): Promise<number> => {
    const [row] = await query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${from}`);
    return row?.count ?? 0;
  };
  const worker = stack.process('dlr-worker');
  await worker.stop();
  await using load = tenant.startLoad();
  await load.more(MESSAGES);
  await load.stop();
  const reported = `message_event WHERE settled_at IS NULL AND status = 'DELIVERED'`;
  await waitFor(async () => (await countOf(reported)) >= MESSAGES / 2, { otherwise: 'nothing is reported' });

  await using locks = openQueries(stack.databaseUrl);
  const locking = locks.query(
    'SELECT FROM message ORDER BY submission_id, n FOR UPDATE; SELECT pg_sleep(60)',
  );
  const unlocked = locking.catch(() => undefined); // the crash ends it
  const untilOne = (condition: string) =>
    waitFor(async () => (await countOf(`pg_stat_activity WHERE ${condition}`)) > 0, { otherwise: condition });
  await untilOne(`wait_event = 'PgSleep'`);
  const starting = worker.start();
  await untilOne(`application_name LIKE 'dlr-worker%' AND wait_event_type = 'Lock'`);
  await stack.postgres?.crash();
  await Promise.all([starting, unlocked]);

  await tenant.untilPushed(load, RECOVERY_MS);
  await waitFor(async () => (await countOf('message_event WHERE settled_at IS NULL')) === 0, {
    timeoutMs: RECOVERY_MS,
    otherwise: 'reports are not settled',
  });
  expect(await countOf('message_event WHERE starts > 0')).toBe(0);
});
