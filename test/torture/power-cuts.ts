import { join } from 'node:path';
import { APPS } from '../../tools/servers/app-process.ts';
import { type Service, startService } from '../support/service.ts';
import { type OwnPostgres, startPrimary } from '../support/standby.ts';
import { type Fault, answeredBy503, makeFaults } from './dependencies.ts';
import type { Outcome, RunOptions } from './outcome.ts';
import { type SmallDisk, mountCuttable, moveTo } from './small-disk.ts';
import { Traffic } from './traffic.ts';

/** Cuts the power of the disks of Postgres and Redis in turn, under a load of all kinds. */
export async function runPowerCuts({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { sms, chat, codes, rate = 0 } = sizes;
  await using started = new AsyncDisposableStack();
  const disks = { postgres: started.use(await mountCuttable()), redis: started.use(await mountCuttable()) };
  const postgres = started.use(await startPrimary());
  await postgres.process.stop();
  await moveTo(disks.postgres, postgres.data);
  await postgres.crash();
  const service = started.use(await startService({ queue, databaseUrl: postgres.url, apps: APPS }));
  const faults: Record<string, Fault> = { 'Postgres cut': () => cutPostgres(disks.postgres, postgres) };
  const { redis } = service.stack;
  if (redis) {
    await redis.stop();
    await moveTo(disks.redis, join(service.dir, 'redis'));
    await redis.start();
    faults['Redis cut'] = () => cutRedis(disks.redis, redis);
  }
  const traffic = started.use(await Traffic.start(service, { sms, chat, codes, perSecond: rate }));
  return await makeFaults({ service, traffic, sizes, faults, rules: answeredBy503 });
}

async function cutPostgres(disk: SmallDisk, postgres: OwnPostgres): Promise<void> {
  await disk.fail();
  await postgres.process.stop('SIGQUIT');
  await disk.mend();
  await postgres.crash();
}

async function cutRedis(disk: SmallDisk, redis: NonNullable<Service['stack']['redis']>): Promise<void> {
  await disk.fail();
  await redis.process.stop('SIGKILL');
  await disk.mend();
  await redis.start();
}
