import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Smsc, startSmsc } from '../../libs/gateways/test/smsc.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { callApi } from '../support/call-api.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Service, startService } from '../support/service.ts';

/** Time in which a change is in force over all workers. */
const IN_FORCE_MS = 2_000;

const submittedAt: number[] = [];
let smsc: Smsc;
let service: Service;

beforeAll(async () => {
  smsc = await startSmsc({
    script: (pdu, peer) => {
      if (pdu.command === 'submit_sm') submittedAt.push(performance.now());
      peer.answer(pdu);
    },
  });
  service = await startService({ queue: A_QUEUE.name, apps: ['api', 'sms-worker'] });
  await service.startTwin('sms-worker');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await smsc?.[Symbol.asyncDispose]();
});

test('a change of pace and window applies to all workers within two seconds, without a bind', async () => {
  await callApi(service.stack, 'POST', '/v1/gateways', {
    name: 'smsc',
    channel: 'sms',
    kind: 'smpp',
    ratePerSecond: 300,
    settings: { host: '127.0.0.1', port: smsc.port, systemId: 'test', binds: 2 },
  });
  await untilEachWorkerShows({ bound: 1, ratePerSecond: 150, window: 10 });
  const connections = smsc.connections.length;
  const to = Array.from({ length: 10_000 }, (_, i) => String(4_915_100_000_000 + i));
  await callApi(service.stack, 'POST', '/v1/sms', { sender: 'SIGNALBX', type: 'TRANS', text: 'Hello', to });
  await waitFor(() => submittedAt.length > 300, { otherwise: 'the bulk is not sent' });

  const slow = await countAfterChange({ ratePerSecond: 20, settings: { window: 5 } });
  await untilEachWorkerShows({ bound: 1, ratePerSecond: 10, window: 5 });
  const fast = await countAfterChange({ ratePerSecond: 400 });

  expect(slow).toBeGreaterThan(0);
  expect(slow).toBeLessThanOrEqual(25);
  expect(fast).toBeGreaterThan(100);
  expect(smsc.connections).toHaveLength(connections);
});

/** Changes the gateway. @returns the segments that the SMSC got in the second that follows the time for a change */
async function countAfterChange(body: object): Promise<number> {
  await callApi(service.stack, 'PATCH', '/v1/gateways/smsc', body);
  const from = performance.now() + IN_FORCE_MS;
  const isOver = () => (submittedAt.at(-1) ?? 0) > from + 1_000;
  await waitFor(isOver, { otherwise: 'nothing is sent after the change' });
  return submittedAt.filter((at) => at >= from && at < from + 1_000).length;
}

async function untilEachWorkerShows(expected: Record<string, number>): Promise<void> {
  const isShown = async (): Promise<boolean> => {
    const { workers } = await callApi<{ workers: { detail: Record<string, number> }[] }>(
      service.stack,
      'GET',
      '/v1/gateways/smsc/state',
    );
    const shows = ({ detail }: (typeof workers)[number]) =>
      Object.entries(expected).every(([name, value]) => detail[name] === value);
    return workers.length === 2 && workers.every(shows);
  };
  await waitFor(isShown, { otherwise: `not every worker shows ${JSON.stringify(expected)}` });
}
