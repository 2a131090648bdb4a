import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';

const PUSHES = 2_000;
const KILL_EVERY_MS = 2_500;
const KILLS = 4;
/** The claims of a killed worker expire after 20 s; its pushes are retried then. */
const DRAIN_MS = 45_000;

test('each push ends although its endpoint fails three calls of ten and workers are killed', async () => {
  await using service = await startService({ queue: A_QUEUE.name });
  await using tenant = await service.createTenant();
  await using flaky = await startReceiver(
    (_, response) => void response.writeHead(Math.random() < 0.3 ? 500 : 200).end(),
  );
  const webhookId = await tenant.addWebhook('flaky', flaky.url, 32);
  await service.query(`UPDATE webhook SET schedule = '{1,1,1,1,1,1,1,1}' WHERE id = '${webhookId}'`);

  await using load = tenant.startLoad({ callsPerSecond: 80, recipientsPerCall: 10 });
  const killing = killRepeatedly(service);
  await load.more(PUSHES);
  await load.stop();
  await killing;

  const ended = `SELECT count(*)::integer AS count FROM push WHERE webhook_id = '${webhookId}' AND status <> 'WAITING'`;
  const count = async () => (await service.query<{ count: number }>(ended))[0]!.count;
  await waitFor(async () => (await count()) >= load.accepted.size, {
    timeoutMs: DRAIN_MS,
    otherwise: 'not every push ended',
  });
  expect(await count()).toBe(load.accepted.size);

  const callsByMessage = Map.groupBy(flaky.received, ({ report }) => report['messageId']);
  const exhausted = await service.query<{ id: string }>(
    `SELECT r.submission_id || ':' || r.n AS id FROM push p JOIN message_event r ON r.id = p.report_id WHERE p.webhook_id = '${webhookId}' AND p.status = 'EXHAUSTED'`,
  );
  expect([...load.accepted.keys()].filter((id) => !callsByMessage.has(id))).toEqual([]);
  expect(exhausted.length).toBeLessThan(load.accepted.size / 100);
  for (const calls of callsByMessage.values())
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

async function killRepeatedly(service: Service): Promise<void> {
  const worker = service.stack.process('dlr-worker');
  for (let kills = 0; kills < KILLS; kills += 1) {
    await delay(KILL_EVERY_MS); // not a wait for a state: time for the worker to have much in flight
    worker.kill('SIGKILL');
    await waitFor(() => worker.pid === undefined, { otherwise: 'the worker did not die' });
    await worker.start();
  }
}
