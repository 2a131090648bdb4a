import { expect, test } from '@jest/globals';
import { ClockWatch } from './clock-watch.ts';

test('a clock that begins to differ by more than 5 s is logged, once each time', () => {
  const t = setup();

  for (const aheadMs of [0, 4_999, 6_000, 7_000, 1_000, -6_000, -6_000]) t.answer(aheadMs);

  expect(t.logged).toEqual([6_000, -6_000]);
});

test('the time that an answer takes is no difference of the clocks', () => {
  const t = setup();

  t.answer(20_000, 30_000);

  expect(t.logged).toEqual([]);
});

function setup() {
  const clock = { ms: 1_000_000 };
  const logged: unknown[] = [];
  const logger = { error: (fields: { skewMs: number }) => void logged.push(fields.skewMs) };
  const watch = new ClockWatch(logger as never, () => clock.ms);
  return {
    logged,
    /** Lets Postgres answer by a clock that is ahead of this one when it is asked. */
    answer: (aheadMs: number, tookMs = 0): void => {
      const note = watch.ask();
      const at = new Date(clock.ms + aheadMs);
      clock.ms += tookMs;
      note(at);
    },
  };
}
