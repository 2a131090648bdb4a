import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { AppName } from '../../tools/stack.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { FAULT_ROUNDS, RECOVERY_MS, type Service, startService } from '../support/service.ts';

const APPS: AppName[] = ['sms-worker', 'dlr-worker', 'api'];
const VICTIMS = Array.from({ length: FAULT_ROUNDS }, () => APPS).flat();

describeOnEachQueue((queue) => {
  test('after a kill each accepted message is pushed, and only those in flight are sent again', async () => {
    await using service = await startService({ queue: queue.name });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();
    const inFlight = new Set<string>();

    const restarts = new Map<AppName, Promise<void>>();
    let killedAt = 0;
    for (const app of VICTIMS) {
      await restarts.get(app);
      await load.more(100 + Math.random() * 100);
      await service.stack.process(app).crash();
      killedAt = Date.now();
      if (app === 'sms-worker') for (const id of await listClaimed(service)) inFlight.add(id);
      restarts.set(app, service.stack.process(app).start());
    }
    await Promise.all(restarts.values());
    await load.stop();

    await tenant.untilPushed(load, killedAt + RECOVERY_MS - Date.now());
    const again = await service.listSubmittedAgain();
    expect(again.filter((id) => !inFlight.has(id))).toEqual([]);
  });
});

/** Waits for the last statement of the killed sms-worker, and lists the messages that it had claimed. */
async function listClaimed(service: Service): Promise<string[]> {
  const sessions = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sms-worker'`;
  const haveEnded = async () => (await service.query(sessions)).length === 0;
  await waitFor(haveEnded, {
    otherwise: 'the statements of the killed worker did not end',
  });
  return service.listMessages(`status = 'PENDING'`);
}
