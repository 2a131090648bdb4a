import { expect, test } from '@jest/globals';
import fastify from 'fastify';
import { Gauge, register } from 'prom-client';
import type { OpsPort } from './ops-port.ts';
import { addOpsRoutes } from './ops.routes.ts';

test('probes of readiness at the same time share one answer of the database', async () => {
  await using t = setup();

  const probes = await Promise.all(Array.from({ length: 50 }, () => t.instance.inject('/readyz')));

  expect(new Set(probes.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(t.asked()).toBeLessThan(10); // more than one only if the probes take longer than a second
});

test('readers of metrics at the same time share one text', async () => {
  await using t = setup();
  let collected = 0;
  const name = 'test_collections';
  const collect = (): void => void (collected += 1);
  const gauge = new Gauge({ name, help: 'Collections', collect });
  gauge.set(1);

  const answers = await Promise.all(Array.from({ length: 50 }, () => t.instance.inject('/metrics')));
  register.removeSingleMetric(name);

  expect(answers.every(({ body }) => body.includes(name))).toBe(true);
  expect(collected).toBeLessThan(10); // more than one only if the answers take longer than a second
});

function setup() {
  const instance = fastify();
  let asked = 0;
  const isWritable = async (): Promise<boolean> => {
    asked += 1;
    return true;
  };
  const opsPort = { isClosedTo: () => false } as unknown as OpsPort;
  addOpsRoutes(instance, opsPort, { isDraining: () => false, isWritable });
  return { instance, asked: () => asked, [Symbol.asyncDispose]: () => instance.close() };
}
