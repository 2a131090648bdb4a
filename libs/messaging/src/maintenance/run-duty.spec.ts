import { expect, jest, test } from '@jest/globals';
import { withAdvisoryLock } from '@signalbox/database/ops/advisory-lock';
import { Queues } from '@signalbox/queues/open-queues';
import { createLogger } from '@signalbox/runtime/logger';
import { openRows } from '@signalbox/test/rows';
import type { DutyContext, Sweep } from './duty.ts';
import { runDuty } from './run-duty.ts';

test('a sweep continues until a batch is empty, and logs its rows once', async () => {
  await using t = await setup();

  await runDuty(t.sweepOf([500, 500, 20, 0, 7]), t.context);

  expect(t.batches).toEqual([7]);
  expect(t.lines).toMatchObject([{ event: 'rows.deleted', duty: 'sweep', count: 1_020 }]);
});

test('a sweep without rows logs nothing', async () => {
  await using t = await setup();

  await runDuty(t.sweepOf([0]), t.context);

  expect(t.lines).toEqual([]);
});

test('a sweep pauses after each batch for a multiple of its duration, and for a second at most', async () => {
  await using t = await setup();
  const durations = [100, 5_000, 0];
  const startedAt: number[] = [];
  jest.useFakeTimers({ now: 0 });
  try {
    const sweep = async (): Promise<number> => {
      startedAt.push(Date.now());
      jest.advanceTimersByTime(durations[0]!);
      return durations.shift()!;
    };
    const pass = runDuty({ name: 'sweep', everyMs: 1_000, pauseFactor: 3, sweep }, t.context);
    await jest.runAllTimersAsync();
    await pass;
  } finally {
    jest.useRealTimers();
  }

  expect(startedAt).toEqual([0, 400, 6_400]);
});

test('a sweep ends after 20 s, also when the clock of the host is set back', async () => {
  await using t = await setup();
  let batches = 0;
  jest.useFakeTimers({ now: 0 });
  try {
    const sweep = async (): Promise<number> => {
      jest.advanceTimersByTime(6_000);
      jest.setSystemTime(0);
      batches += 1;
      return batches < 10 ? 1 : 0;
    };
    await runDuty({ name: 'sweep', everyMs: 1_000, sweep }, t.context);
  } finally {
    jest.useRealTimers();
  }

  expect(batches).toBe(4);
});

test('a sweep that is stopped ends after its current batch', async () => {
  await using t = await setup();
  const sweep = t.sweepOf([500, 500]);

  await runDuty(sweep, t.context, () => t.batches.length === 1);

  expect(t.batches).toEqual([500]);
});

test('a process skips a pass whose lock another process holds', async () => {
  await using t = await setup();
  const sweep = t.sweepOf([500, 0]);

  await withAdvisoryLock(t.rows.db, 'sweep', () => runDuty(sweep, t.context));

  expect(t.batches).toEqual([500, 0]);
});

async function setup() {
  const rows = await openRows();
  const [batches, lines]: [number[], object[]] = [[], []];
  const context: DutyContext = {
    db: rows.db,
    queues: await Queues.open(
      [],
      { url: 'redis://127.0.0.1', prefix: 'test' },
      createLogger('test', 'silent'),
    ),
    logger: createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as object) }),
    get: () => {
      throw new Error('this duty uses no providers');
    },
  };
  const sweepOf = (sizes: number[]): Sweep => {
    batches.push(...sizes);
    const sweep = async (): Promise<number> => batches.shift() ?? 0;
    return { name: 'sweep', everyMs: 1_000, lock: 'sweep', logEvent: 'rows.deleted', sweep };
  };
  return { rows, context, batches, lines, sweepOf, [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose]() };
}
