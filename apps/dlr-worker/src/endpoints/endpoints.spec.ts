import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
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

function openEndpoints(): Endpoints {
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  return new Endpoints({} as EntityManager, fleet, createLogger('test', 'fatal'));
}
