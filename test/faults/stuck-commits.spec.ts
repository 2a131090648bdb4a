import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { hangInCommit } from '../support/hang-in-commit.ts';
import type { Load } from '../support/load.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';

/** More calls than are open at a time. */
const CALLS_MEANWHILE = 40;

testWithRedis('calls get 503 while Postgres answers but commits nothing, and no 2xx is lost', async () => {
  const lines: string[] = [];
  const onLine = (_: string, line: string) => void lines.push(line);
  await using service = await startService({ queue: 'redis', ownPostgres: true, onLine });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad();
  await load.more(150);

  const wake = await hangInCommit(service.stack.databaseUrl);
  try {
    await waitFor(() => lines.some(isLost), { otherwise: 'the api did not notice' });
    const last = nextIndex(load) + CALLS_MEANWHILE;
    await waitFor(() => hasAnswered(load, last), { otherwise: 'calls wait for a commit' });
    expect((await fetch(`${service.stack.apiUrl}/readyz`)).status).toBe(503);
  } finally {
    await wake();
  }
  await load.more(150);
  await load.stop();

  await tenant.untilPushed(load, RECOVERY_MS);
  expect(Object.keys(load.failures())).toEqual(['503']);
  expect(load.impatient()).toEqual([]);
});

/** Line of the api that Postgres commits nothing. */
function isLost(line: string): boolean {
  return line.includes('dependency.lost') && line.includes('commits nothing');
}

/** A number above those of the calls that have ended. */
function nextIndex({ calls }: Load): number {
  return Math.max(...calls.map(({ index }) => index)) + 1;
}

/** True when every call up to an index has ended. */
function hasAnswered({ calls }: Load, last: number): boolean {
  return calls.filter(({ index }) => index <= last).length === last + 1;
}
