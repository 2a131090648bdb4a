import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { addEndpoints } from '@signalbox/database/webhooks/endpoints';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { EntityManager } from 'typeorm';
import type { OpenTarget } from '../pushes/open-target.ts';
import { Endpoints } from './endpoints.ts';

const LIMITS = { maxInFlight: 1, ratePerSecond: null };

test('the lane of an endpoint is dropped once it is idle, and kept while it has a call', () => {
  const endpoints = openEndpoints();
  const [idle, busy, waiting] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
  const call = { start: () => undefined, postpone: () => undefined };
  const lanes = [idle, busy, waiting].map((id) => endpoints.laneOf(id, LIMITS));
  lanes[1]!.run('first', call);
  lanes[2]!.run('first', call);
  lanes[2]!.run('first', call);

  endpoints.dropIdle();
  expect(endpoints.laneOf(idle, LIMITS)).toBe(lanes[0]);

  endpoints.dropIdle(0);
  expect([idle, busy, waiting].map((id) => lanes.includes(endpoints.laneOf(id, LIMITS)))).toEqual([
    false,
    true,
    true,
  ]);
});

test('a tally that is refused is logged, and loses those of no other endpoint', async () => {
  await using rows = await openRows();
  const [first, bad, last] = (await addWebhooks(rows.db, randomUUIDv7(), 3)) as [string, string, string];
  await addEndpoints(rows.db, [bad]);
  await rows.db.query(
    `UPDATE endpoint SET failures = 2147483647, failing_since = now() WHERE webhook_id = $1`,
    [bad],
  );
  const lines: object[] = [];
  const logger = createLogger('test', 'warn', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const endpoints = openEndpoints(rows.db, logger);
  for (const id of [first, bad, last])
    endpoints.record({ id, failures: 0, openLevel: 0 } as OpenTarget, false, false);

  await endpoints.flushHealth();

  expect(
    await rows.db.query('SELECT webhook_id FROM endpoint WHERE failures = 1 ORDER BY webhook_id'),
  ).toEqual([first, last].toSorted().map((id) => ({ webhook_id: id })));
  expect(lines).toMatchObject([{ event: 'endpoint.health_refused', webhookId: bad }]);
});

function openEndpoints(db = {} as EntityManager, logger = createLogger('test', 'fatal')): Endpoints {
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  return new Endpoints(db, fleet, logger);
}
