import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import type { AppName } from '../../tools/stack.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { Load, recipient } from '../support/load.ts';
import { FAULT_ROUNDS, RECOVERY_MS, type Service, startService } from '../support/service.ts';

const APPS: AppName[] = ['api', 'chatapp-worker', 'dlr-worker'];
const KILLS = 2 * FAULT_ROUNDS;

describeOnEachQueue((queue) => {
  test('every message is read although chatapp-workers are killed before the callbacks', async () => {
    await using service = await startService({
      queue: queue.name,
      apps: APPS,
      env: { SIMULATOR_DELAY_MS: '100' },
    });
    const { apiUrl, apiKey } = service.stack;
    await using load = new Load({ apiUrl, apiKey, callsPerSecond: 20, callOf: textMessage });
    const inFlight = new Set<string>();

    for (let kills = 0; kills < KILLS; kills += 1) {
      await load.more(30);
      await untilCallbacksWait(service);
      await delay(Math.random() * 200); // not a wait for a state: any moment between a submit and its callbacks
      for (const id of await kill(service)) inFlight.add(id);
      await service.stack.process('chatapp-worker').start();
    }
    await load.stop();

    const isRead = async () => (await service.listMessages(`status = 'READ'`)).length === load.accepted.size;
    await waitFor(isRead, { timeoutMs: RECOVERY_MS, otherwise: 'some messages were not read' }).catch(
      async (cause: unknown) => {
        throw new Error(`of ${load.accepted.size}: ${JSON.stringify(await countByStatus(service))}`, {
          cause,
        });
      },
    );
    expect((await service.listMessages('true')).toSorted(byText)).toEqual(
      [...load.accepted.keys()].toSorted(byText),
    );
    expect((await service.listSubmittedAgain()).filter((id) => !inFlight.has(id))).toEqual([]);
    // A repeated callback may still be unprocessed.
    const areProcessed = async () =>
      (await service.query(`SELECT FROM callback WHERE processed_at IS NULL`)).length === 0;
    await waitFor(areProcessed, { timeoutMs: RECOVERY_MS, otherwise: 'some callbacks were not processed' });
  });
});

const byText = (a: string, b: string): number => a.localeCompare(b);

/** A message from the demo account's sender. Recipients differ, so that no pair reaches its pace. */
function textMessage(index: number): { path: string; body: object } {
  return {
    path: '/v1/chatapp',
    body: { type: 'text', from: '15550100001', to: recipient(index), text: { body: 'Hello' } },
  };
}

/** Resolves when the simulator has callbacks to make: some message is submitted and not read. */
async function untilCallbacksWait(service: Service): Promise<void> {
  const waiting = async () => (await service.listMessages(`status IN ('SENT', 'DELIVERED')`)).length > 0;
  await waitFor(waiting, { timeoutMs: RECOVERY_MS, otherwise: 'nothing was submitted' });
}

/** Kills the worker and waits for the end of its last statement. @returns the messages that it had claimed */
async function kill(service: Service): Promise<string[]> {
  await service.stack.process('chatapp-worker').crash();
  const sessions = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'chatapp-worker'`;
  await waitFor(async () => (await service.query(sessions)).length === 0, {
    otherwise: 'its statements did not end',
  });
  return service.listMessages(`status = 'PENDING'`);
}

async function countByStatus(service: Service): Promise<Record<string, number>> {
  const rows = await service.query<{ status: string; count: number }>(
    `SELECT status, count(*)::integer FROM message GROUP BY status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
