import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { hang } from '../support/hang.ts';
import type { Load } from '../support/load.ts';
import { RECOVERY_MS, type Service, startService } from '../support/service.ts';

/** Milliseconds until callers get an error, and until they are served again once Postgres is back. */
const PROMPT_MS = 20_000;

/** More calls than are open at a time. */
const CALLS_WHILE_HUNG = 40;

describeOnEachQueue((queue) => {
  test('without Postgres callers get 503 with Retry-After, and every 2xx is pushed afterwards', async () => {
    const lines: string[] = [];
    const onLine = (_: string, line: string) => void lines.push(line);
    await using service = await startService({ queue: queue.name, ownPostgres: true, onLine });
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
    const ofApi = (event: string) =>
      lines.filter((line) => line.includes('"app":"api"') && line.includes(`"event":"${event}"`)).length;
    await waitFor(() => ofApi('dependency.back') > 0, { otherwise: 'the api does not see Postgres again' });
    const outages = ofApi('dependency.lost');
    await hangUntilAnswered(service, load);
    await waitFor(() => ofApi('dependency.lost') > outages, { otherwise: 'the api does not log the outage' });
    expect(ofApi('dependency.lost') - outages).toBeLessThan(5); // for outages, not for each call
    await load.more(1, PROMPT_MS);
    await load.more(150);
    await service.stack.postgres?.crash();
    await load.more(1, PROMPT_MS);
    await load.more(150);
    await load.stop();

    await tenant.untilPushed(load, RECOVERY_MS);
    expect(lines.filter(isCrash)).toEqual([]);
    expect(Object.keys(load.failures())).toEqual(['503']);
    expect(load.impatient()).toEqual([]);
    expect(load.slowestMs()).toBeLessThan(PROMPT_MS);
  });
});

/** The last line of an app that ends itself. */
function isCrash(line: string): boolean {
  return /process\.(uncaught_exception|unhandled_rejection|start_failed)/.test(line);
}

function count503(load: Load): number {
  return load.calls.filter(({ status }) => status === 503).length;
}

/** Stops Postgres by SIGSTOP until every call has an answer nevertheless: those that waited, and new ones. */
async function hangUntilAnswered({ stack }: Service, load: Load): Promise<void> {
  const wake = hang(stack.postgres?.process.pid ?? 0);
  try {
    const last = Math.max(...load.calls.map(({ index }) => index)) + CALLS_WHILE_HUNG;
    await waitFor(() => hasAnswered(load, last), { otherwise: 'calls still wait for a Postgres that hangs' });
    expect((await fetch(`${stack.apiUrl}/readyz`)).status).toBe(503);
  } finally {
    wake();
  }
}

/** True when every call up to an index has ended. */
function hasAnswered({ calls }: Load, last: number): boolean {
  return calls.filter(({ index }) => index <= last).length === last + 1;
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
