import { expect, test } from '@jest/globals';
import { setHostClock } from '@signalbox/test/clocks';
import { EndpointHealth } from './endpoint-health.ts';

test('successful calls are stored only with the first failure', () => {
  const health = new EndpointHealth();
  for (let call = 0; call < 3; call += 1) health.record('a', true, false, false);
  expect(health.take()).toEqual([]);

  health.record('a', false, false, false);

  expect(health.take()).toMatchObject([
    { webhookId: 'a', calls: 4, failures: 1, succeeded: true, failuresInRow: 1, probe: null },
  ]);
  expect(health.take()).toEqual([]);
});

test('a success is stored when failures are stored', () => {
  const health = new EndpointHealth();
  health.record('a', true, true, false);

  expect(health.take()).toMatchObject([
    { calls: 1, failures: 0, succeeded: true, failuresInRow: 0, failingForMs: 0 },
  ]);
});

test('a probe, and enough failures to open a breaker, are stored immediately', () => {
  const health = new EndpointHealth();

  expect(Array.from({ length: 11 }, () => health.record('a', false, false, false)).indexOf(true)).toBe(9);
  expect(health.record('b', true, true, true)).toBe(true);
  expect(health.take()).toMatchObject([{ webhookId: 'a' }, { webhookId: 'b', probe: 'ok' }]);
});

test('a clock that is set forward does not lengthen the time of failures', () => {
  const health = new EndpointHealth();
  health.record('a', false, false, false);

  using _ = setHostClock(10 * 86_400_000);

  expect(health.take()[0]!.failingForMs).toBeLessThan(86_400_000);
});
