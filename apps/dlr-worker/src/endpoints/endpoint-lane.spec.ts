import { expect, test } from '@jest/globals';
import { replaceClocks, setHostClock } from '@signalbox/test/clocks';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { EndpointLane, type LaneLimits, type TryKind } from './endpoint-lane.ts';

test('calls beyond the limit in flight wait and follow in order', async () => {
  const t = setup({ inFlight: 2 });
  const runs = ['a', 'b', 'c', 'd'].map((name) => t.run(name));
  expect(t.inFlight()).toEqual(['a', 'b']);

  t.finish('b', true);
  await runs[1];
  expect(t.inFlight()).toEqual(['a', 'c']);

  for (const name of ['a', 'c']) t.finish(name, true);
  await Promise.all([runs[0], runs[2]]);
  expect(t.inFlight()).toEqual(['d']);
});

test('first and later tries get free slots alternately', async () => {
  const t = setup({ inFlight: 1 });
  void t.run('begins');
  for (const name of ['f1', 'f2', 'f3']) void t.run(name);
  for (const name of ['l1', 'l2']) void t.run(name, 'later');

  const order: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const [name = ''] = t.inFlight();
    order.push(name);
    t.finish(name, true);
    await nextTick();
  }

  expect(order).toEqual(['begins', 'f1', 'l1', 'f2', 'l2', 'f3']);
});

test('a later try is claimed while first tries use up a rate of one call a second', async () => {
  const t = setup({ inFlight: 4, perSecond: 1 }, 1_000);
  const first = t.run('takes the token');
  t.finish('takes the token', true);
  await first;

  void t.run('f1');
  void t.run('f2');

  expect(t.lane.room()).toBe(1);
  void t.run('l1', 'later');
  expect(t.lane.room()).toBe(0);
});

test('no call waits for an endpoint after three failures, until a call succeeds', async () => {
  const t = setup({ inFlight: 1 });
  for (const name of ['1', '2', '3']) {
    const run = t.run(name);
    t.finish(name, false);
    await run;
  }

  const probe = t.run('probe');
  expect(await t.run('extra')).toBeUndefined();
  expect(t.lane.room()).toBe(0);

  t.finish('probe', true);
  await probe;
  expect(t.lane.room()).toBeGreaterThan(1);
  const next = t.run('next');
  const waits = t.run('waits');
  t.finish('next', true);
  await next;
  t.finish('waits', true);
  expect(await waits).toEqual({ ok: true });
});

test('waiting calls are postponed as soon as their endpoint is unhealthy', async () => {
  const t = setup({ inFlight: 1 });
  const runs = ['1', '2', '3'].map((name) => t.run(name));
  const waits = t.run('waits');
  for (const name of ['1', '2', '3']) {
    t.finish(name, false);
    await nextTick();
  }

  expect(await Promise.all(runs)).toHaveLength(3);
  expect(await waits).toBeUndefined();
});

test('a call that gets no slot in time is not made', async () => {
  const t = setup({ inFlight: 1 }, 20);
  void t.run('hangs');

  expect(await t.run('late')).toBeUndefined();
  expect(t.inFlight()).toEqual(['hangs']);
});

test('a process without a share of an endpoint makes no call to it', async () => {
  const t = setup({ inFlight: 0 });

  expect(await t.run('any')).toBeUndefined();
  expect(t.lane.room()).toBe(0);
});

test('calls that wait for the rate start by themselves', async () => {
  const t = setup({ inFlight: 50, perSecond: 25 }, 4_000);
  const startedAt = performance.now();
  const runs = Array.from({ length: 20 }, (_, i) => t.finishing(`call ${i}`));

  expect((await Promise.all(runs)).every((result) => result?.ok)).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  expect(t.lane.room()).toBeLessThanOrEqual(100);
});

test('a call starts when its token comes between the refusal of a slot and the wait for one', async () => {
  const t = setup({ inFlight: 50, perSecond: 1 });
  const first = t.run('takes the token');
  t.finish('takes the token', true);
  await first;
  const tokenAt = performance.now() + 1_000;
  const times = [tokenAt - 500];
  using _ = replaceClocks({ monotonic: () => times.shift() ?? tokenAt + 100 });
  void t.run('waits');
  await waitFor(() => t.inFlight().length > 0, { otherwise: 'the call did not start' });

  expect(t.inFlight()).toEqual(['waits']);
});

test('calls of a rate continue when the clock of the host is set back', async () => {
  const t = setup({ inFlight: 50, perSecond: 25 });
  const first = t.finishing('first');
  using _ = setHostClock(-3_600_000);

  const others = Array.from({ length: 10 }, (_each, i) => t.finishing(`call ${i}`));

  expect((await Promise.all([first, ...others])).every((result) => result?.ok)).toBe(true);
});

test('a call without a slot in time is not made when the clock of the host is set back', async () => {
  const t = setup({ inFlight: 1 }, 20);
  void t.run('hangs');
  const late = t.run('late');

  using _ = setHostClock(-3_600_000);

  expect(await late).toBeUndefined();
});

test('an endpoint that answers fast is not slow while its waiting calls delay no other account', () => {
  expect(isSlow({ slots: 128, callMs: 20, waiting: 1_000 })).toBe(false);
  expect(isSlow({ slots: 128, callMs: 60, waiting: 1_000 })).toBe(false);
  expect(isSlow({ slots: 128, callMs: 70, waiting: 1_000 })).toBe(true);
  expect(isSlow({ slots: 10, callMs: 20, waiting: 40 })).toBe(false);
  expect(isSlow({ slots: 10, callMs: 20, waiting: 100 })).toBe(true);
  expect(isSlow({ slots: 128, callMs: 200, waiting: 0 })).toBe(true);
});

test('an endpoint that answers fast is slow while its waiting calls delay other accounts', () => {
  expect(isSlow({ slots: 256, callMs: 120, waiting: 1_000, delaysOthers: true })).toBe(true);
  expect(isSlow({ slots: 256, callMs: 120, waiting: 1_000, delaysOthers: false })).toBe(false);
  expect(isSlow({ slots: 256, callMs: 120, waiting: 300, delaysOthers: true })).toBe(false);
});

test('a short pause that delays all calls in flight does not make an endpoint slow', () => {
  const after = (pausedMs: number): boolean =>
    isSlow({ slots: 128, callMs: 20, waiting: 1_000, lastMs: pausedMs });
  expect(after(150)).toBe(false);
  expect(after(1_000)).toBe(true);
});

/**
 * Returns true when a lane is slow after a thousand calls that took `callMs`, and one for each slot that took `lastMs`,
 * while all slots are in use and more calls wait.
 */
function isSlow({
  slots,
  callMs,
  waiting,
  lastMs = callMs,
  delaysOthers = false,
}: {
  slots: number;
  callMs: number;
  waiting: number;
  lastMs?: number;
  delaysOthers?: boolean;
}): boolean {
  const now = performance.now();
  using _ = replaceClocks({ monotonic: () => now });
  const lane = new EndpointLane().limit({ inFlight: slots, perSecond: Infinity });
  const call = { start: () => undefined, postpone: () => undefined };
  for (let made = 0; made < 1_000 + slots; made += 1) {
    lane.run('first', call);
    lane.end(true, now - (made < 1_000 ? callMs : lastMs));
  }
  for (let begun = 0; begun < slots + waiting; begun += 1) lane.run('first', call);
  return lane.isSlow(delaysOthers);
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A lane whose calls end when the test ends them. */
function setup(limits: Partial<LaneLimits>, maxWaitMs = 10_000) {
  const lane = new EndpointLane(maxWaitMs).limit({ inFlight: 1, perSecond: Infinity, ...limits });
  const calls = new Map<string, (result: { ok: boolean }) => void>();
  /** Resolves when the call has ended; with undefined when it was postponed. */
  const run = (name: string, kind: TryKind = 'first'): Promise<{ ok: boolean } | undefined> =>
    new Promise((resolve) => {
      const start = (): void => {
        const startedAt = performance.now();
        calls.set(name, (result) => {
          lane.end(result.ok, startedAt);
          resolve(result);
        });
      };
      lane.run(kind, { start, postpone: () => resolve(undefined) });
    });
  const end = (name: string, ok: boolean): void => {
    const finish = calls.get(name);
    calls.delete(name);
    finish?.({ ok });
  };
  return {
    lane,
    run,
    finishing: async (name: string) => {
      const result = run(name);
      setImmediate(function finish() {
        if (calls.has(name)) end(name, true);
        else setImmediate(finish);
      });
      return result;
    },
    finish: end,
    inFlight: () => [...calls.keys()],
  };
}
