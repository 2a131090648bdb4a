import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type ReceivedPush, startReceiver } from '../support/receiver.ts';
import { FAULT_ROUNDS, type Service, startService } from '../support/service.ts';

const PUSHES = 1_000 * FAULT_ROUNDS;
const KILL_EVERY_MS = 2_500;
const KILLS = 2 * FAULT_ROUNDS;
/** The claims of a killed worker expire after 20 s; its pushes are retried then, on a slow machine slowly. */
const DRAIN_MS = 120_000;

test('each push ends although endpoints fail three calls of ten and workers are killed', async () => {
  await using service = await startService({ queue: A_QUEUE.name });
  await using tenant = await service.createTenant();
  await using flaky = await startReceiver(failOften);
  await using batched = await startReceiver(failOften);
  const ids = [
    await tenant.addWebhook('flaky', flaky.url, 32),
    await tenant.addWebhook('batched', batched.url, 32),
  ];
  await service.query(`UPDATE webhook SET schedule = '{1,1,1,1,1,1,1,1}'`);
  await service.query(`UPDATE webhook SET batch = '{"max":20,"waitMs":300}' WHERE name = 'batched'`);

  await using load = tenant.startLoad({ callsPerSecond: 80, recipientsPerCall: 10 });
  const killing = killRepeatedly(service);
  await load.more(PUSHES);
  await load.stop();
  await killing;

  const count = async (condition: string): Promise<number[]> => {
    const rows = await service.query<{ id: string; count: number }>(
      `SELECT webhook_id AS id, count(*)::integer AS count FROM push WHERE ${condition} GROUP BY 1`,
    );
    return ids.map((id) => rows.find((row) => row.id === id)?.count ?? 0);
  };
  const ended = `status <> 'WAITING'`;
  await waitFor(async () => (await count(ended)).every((each) => each >= load.accepted.size), {
    timeoutMs: DRAIN_MS,
    otherwise: 'not every push ended',
  });
  expect(await count(ended)).toEqual(ids.map(() => load.accepted.size));
  for (const exhausted of await count(`status = 'EXHAUSTED'`))
    expect(exhausted).toBeLessThan(load.accepted.size / 100);
  const accepted = [...load.accepted.keys()].toSorted();
  for (const pushes of [flaky.received.map(aloneOf), batched.received.flatMap(itemsOf)]) {
    const byMessage = Map.groupBy(pushes, ({ messageId }) => messageId);
    expect([...byMessage.keys()].toSorted()).toEqual(accepted);
    for (const calls of byMessage.values()) expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
  }
});

function failOften(_: ReceivedPush, response: ServerResponse): void {
  response.writeHead(Math.random() < 0.3 ? 500 : 200).end();
}

/** A report as a receiver sees it: its webhook-id, and its message. */
interface Seen {
  id: string;
  messageId: string;
}

function aloneOf({ headers, report }: ReceivedPush): Seen {
  return { id: String(headers['webhook-id']), messageId: report['messageId'] ?? '' };
}

function itemsOf({ body }: ReceivedPush): Seen[] {
  const items = JSON.parse(body) as { id: string; body: { messageId: string } }[];
  return items.map(({ id, body: { messageId } }) => ({ id, messageId }));
}

async function killRepeatedly(service: Service): Promise<void> {
  const worker = service.stack.process('dlr-worker');
  for (let kills = 0; kills < KILLS; kills += 1) {
    await delay(KILL_EVERY_MS); // not a wait for a state: time for the worker to have much in flight
    await worker.crash();
    await worker.start();
  }
}
