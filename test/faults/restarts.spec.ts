import { expect, test } from '@jest/globals';
import { A_QUEUE } from '../support/queue.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';

test('apps restarted under load fail no call, lose nothing and repeat nothing', async () => {
  await using service = await startService({ queue: A_QUEUE.name });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad({ balanced: true });

  for (const app of ['sms-worker', 'api', 'dlr-worker'] as const) {
    await load.more(50 + Math.random() * 100);
    await service.stack.process(app).restart();
  }
  await load.more(200);
  await load.stop();

  await tenant.untilPushed(load, RECOVERY_MS);
  expect(load.failures()).toEqual({});
  expect(await service.listSubmittedAgain()).toEqual([]);
  expect(tenant.receiver.received).toHaveLength(load.accepted.size);
});
