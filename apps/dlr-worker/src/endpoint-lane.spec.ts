import { expect, test } from '@jest/globals';
import { EndpointLane } from './endpoint-lane.ts';

test('no more calls are in flight than the end point may have, and the rest follow in order', async () => {
  const t = setup();
  const runs = ['a', 'b', 'c', 'd'].map((name) => t.run(name, 2));
  expect(t.inFlight()).toEqual(['a', 'b']);

  t.finish('b', true);
  await runs[1];
  expect(t.inFlight()).toEqual(['a', 'c']);

  for (const name of ['a', 'c']) t.finish(name, true);
  await Promise.all([runs[0], runs[2]]);
  expect(t.inFlight()).toEqual(['d']);
});

test('an end point whose last call failed gets no patience, until one succeeds', async () => {
  const t = setup();
  const first = t.run('first', 1);
  t.finish('first', false);
  await first;

  const probe = t.run('probe', 1);
  expect(await t.run('extra', 1)).toEqual({ placed: false });

  t.finish('probe', true);
  await probe;
  const next = t.run('next', 1);
  const waits = t.run('waits', 1);
  t.finish('next', true);
  await next;
  t.finish('waits', true);
  expect(await waits).toEqual({ placed: true, result: { ok: true } });
});

test('a push that finds no place in time is put off', async () => {
  const t = setup(20);
  void t.run('hangs', 1);

  expect(await t.run('late', 1)).toEqual({ placed: false });
  expect(t.inFlight()).toEqual(['hangs']);
});

test('pushes that are put off come back one after the other, none before two seconds or after ten minutes', () => {
  const { lane } = setup();
  const delays = Array.from({ length: 200_000 }, () => lane.putOffMs(1));

  expect(delays[0]).toBeGreaterThanOrEqual(2_000);
  expect(delays[1]).toBeGreaterThan(delays[0]!);
  expect(Math.max(...delays.slice(-10))).toBe(600_000);
});

/** A lane whose calls end when the test says so. */
function setup(patienceMs = 10_000) {
  const lane = new EndpointLane(patienceMs);
  const calls = new Map<string, (result: { ok: boolean }) => void>();
  return {
    lane,
    run: (name: string, maxInFlight: number) =>
      lane.run(maxInFlight, () => new Promise<{ ok: boolean }>((resolve) => calls.set(name, resolve))),
    finish: (name: string, ok: boolean) => {
      calls.get(name)?.({ ok });
      calls.delete(name);
    },
    inFlight: () => [...calls.keys()],
  };
}
