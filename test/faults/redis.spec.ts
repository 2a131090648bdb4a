import { expect } from '@jest/globals';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';

testWithRedis(
  'the api accepts while Redis is wiped, gone or stuck, and pushes follow afterwards',
  async () => {
    await using service = await startService({ queue: 'redis' });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    const moreFor = async (durationMs: number) => {
      for (const until = Date.now() + durationMs; Date.now() < until; ) await load.more(1);
    };
    const { redis } = service.stack;

    await load.more(300);
    await redis?.flush();
    await load.more(300);
    await redis?.stop();
    await moreFor(10_000);
    await redis?.start();
    await load.more(100);
    redis?.process.kill('SIGSTOP');
    await moreFor(3_000);
    redis?.process.kill('SIGCONT');
    const endedAt = Date.now();
    await load.stop();

    await tenant.untilPushed(load, endedAt + RECOVERY_MS - Date.now());
    expect(load.failures()).toEqual({});
    expect(load.slowestMs()).toBeLessThan(5_000);
    expect(await service.listSubmittedAgain()).toEqual([]);
  },
  120_000,
);
