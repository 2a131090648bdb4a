import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import type { Load } from '../support/load.ts';
import { RECOVERY_MS, type Service, startService } from '../support/service.ts';

/** Milliseconds until callers get an error, and until they are served again once Postgres is back. */
const PROMPT_MS = 20_000;

describeOnEachQueue((queue) => {
  test('without Postgres callers get 503 with Retry-After, and every 2xx is pushed afterwards', async () => {
    await using service = await startService({ queue: queue.name, ownPostgres: true });
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad();

    await load.more(150);
    await service.stack.postgres?.process.stop();
    const enough503 = count503(load) + 30;
    await waitFor(() => count503(load) > enough503, {
      otherwise: 'callers did not get 503',
    });
    await startPostgres(service);
    await load.more(1, PROMPT_MS);
    await load.more(150);
    await service.stack.postgres?.crash();
    await load.more(1, PROMPT_MS);
    await load.more(150);
    await load.stop();

    await tenant.untilPushed(load, RECOVERY_MS);
    expect(Object.keys(load.failures())).toEqual(['503']);
    expect(
      load.calls.filter(({ status, retryAfter }) => status === 503 && !/^\d+$/.test(retryAfter ?? '')),
    ).toEqual([]);
    expect(load.slowestMs()).toBeLessThan(PROMPT_MS);
  });
});

function count503(load: Load): number {
  return load.calls.filter(({ status }) => status === 503).length;
}

async function startPostgres({ stack, query }: Service): Promise<void> {
  await stack.postgres?.process.start();
  const answers = () =>
    query('SELECT').then(
      () => true,
      () => false,
    );
  await waitFor(answers, { otherwise: 'Postgres did not come back' });
}
