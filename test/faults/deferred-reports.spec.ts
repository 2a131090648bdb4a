import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type ReceivedPush, startReceiver } from '../support/receiver.ts';
import { FAULT_ROUNDS, startService } from '../support/service.ts';

const WEBHOOKS = 16;
/** Of each round: their pushes are twice the share of an account in two workers. */
const MESSAGES = 1_000;
const KILLS = 2 * FAULT_ROUNDS;
/** Leases of 20 s run out twice, on a slow machine. */
const DRAIN_MS = 180_000;

test('deferred reports are pushed once each although a worker dies and Redis is wiped', async () => {
  await using service = await startService({ queue: A_QUEUE.name });
  await using tenant = await service.createTenant();
  // slow until the last kill, so that on any machine the pushes in progress reach the share of the account
  let answerMs = 2_000;
  await using receiver = await startReceiver(
    (_, response) => void delay(answerMs).then(() => response.end()),
  );
  for (let i = 0; i < WEBHOOKS; i += 1) await tenant.addWebhook(`w${i}`, `${receiver.url}/${i}`, 32);
  await service.startTwin('dlr-worker');
  const countOf = async (from: string): Promise<number> => {
    const [row] = await service.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${from}`);
    return row?.count ?? 0;
  };
  const worker = service.stack.process('dlr-worker');

  let accepted = 0;
  for (let kills = 0; kills < KILLS; kills += 1) {
    await using load = tenant.startLoad({ callsPerSecond: 10, recipientsPerCall: 250 });
    await load.more(MESSAGES);
    await load.stop();
    accepted += load.accepted.size;
    await waitFor(async () => (await countOf('deferred_batch')) > 0, { otherwise: 'no report is deferred' });
    await worker.crash();
    await service.query(
      `DELETE FROM deferred_batch WHERE id = (SELECT max(id::text)::uuid FROM deferred_batch)`,
    );
    await service.stack.redis?.flush();
    await worker.start();
  }
  answerMs = 20;
  const unsettled = (): Promise<number> => countOf('message_event WHERE settled_at IS NULL');
  await waitFor(async () => (await unsettled()) === 0, {
    timeoutMs: DRAIN_MS,
    otherwise: 'not every report was settled',
  });
  const waiting = (): Promise<number> => countOf(`push WHERE status = 'WAITING'`);
  await waitFor(async () => (await waiting()) === 0, {
    timeoutMs: DRAIN_MS,
    otherwise: 'not every push ended',
  });

  const calls = Map.groupBy(receiver.received, ({ url, report }) => `${url} ${report['messageId']}`);
  expect(calls.size).toBe(accepted * WEBHOOKS);
  const idsOf = (repeats: readonly ReceivedPush[]): number =>
    new Set(repeats.map(({ headers }) => headers['webhook-id'])).size;
  expect(new Set(Array.from(calls.values(), idsOf))).toEqual(new Set([1]));
  await waitFor(async () => (await countOf('deferred_batch')) === 0, {
    otherwise: 'rows of deferred reports are left',
  });
});
