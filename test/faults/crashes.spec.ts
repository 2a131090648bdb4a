import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { PLANTED_HEADER } from './planted-exception.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';

const PLANT = `--disable-warning=ExperimentalWarning --import=${join(import.meta.dirname, 'planted-exception.ts')}`;

test('an endpoint whose calls crash the dlr-worker crashes it once and gets an open breaker', async () => {
  const lines: string[] = [];
  const onLine = (_: string, line: string) => void lines.push(line);
  await using service = await startService({
    queue: A_QUEUE.name,
    env: { NODE_OPTIONS: PLANT },
    onLine,
    crashes: true,
  });
  await using healthy = await service.createTenant();
  await using sick = await service.createTenant();
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(200, { [PLANTED_HEADER]: '1' }).end(),
  );
  const webhookIds = [await sick.addWebhook('one', receiver.url), await sick.addWebhook('two', receiver.url)];
  const worker = service.stack.process('dlr-worker');
  const firstPid = worker.pid;

  await using crashing = sick.startLoad({ recipientsPerCall: 20 });
  await crashing.more(20);
  await crashing.stop();
  const isBack = async () => worker.pid !== firstPid && (await worker.isReady());
  await waitFor(isBack, { timeoutMs: RECOVERY_MS, otherwise: 'the dlr-worker did not crash and come back' });
  const secondPid = worker.pid;
  await using load = healthy.startLoad({ recipientsPerCall: 5 });
  await load.more(50);
  await load.stop();
  await healthy.untilPushed(load, RECOVERY_MS);

  expect(worker.pid).toBe(secondPid);
  const open = await service.query<{ id: string; level: number; accountId: string }>(
    `SELECT w.id, w.account_id AS "accountId", e.open_level AS level FROM endpoint e JOIN webhook w ON w.id = e.webhook_id WHERE e.open_level > 0`,
  );
  expect(new Set(open.map(({ id }) => id))).toEqual(new Set(webhookIds));
  expect(open.map(({ level }) => level)).toEqual([1, 1]);
  expect(eventsNamed('process.uncaught_exception', lines)).toEqual([
    expect.objectContaining({
      level: 'error',
      accountId: open[0]?.accountId,
      webhookId: expect.stringMatching(webhookIds.join('|')),
      stoppedWebhooks: 2,
      error: expect.objectContaining({ message: 'planted' }),
    }),
  ]);
});

function eventsNamed(name: string, lines: string[]): unknown[] {
  const events = lines.flatMap((line) =>
    line.startsWith('{') ? [JSON.parse(line) as { event?: string }] : [],
  );
  return events.filter(({ event }) => event === name);
}
