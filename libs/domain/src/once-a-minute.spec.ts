import { expect, test } from '@jest/globals';
import { OnceAMinute } from './once-a-minute.ts';

test('a line of a key is due once a minute, whatever other keys log', () => {
  const t = setup();

  const due = [0, 1, 59_999, 60_000, 60_001, 119_999, 120_000].map((ms) => t.isDueAt(ms, 'a'));

  expect(due).toEqual([true, false, false, true, false, false, true]);
  expect([t.isDueAt(120_001, 'b'), t.isDueAt(120_002, 'a')]).toEqual([true, false]);
});

test('keys beyond the first 1,000 are always due, and those keep their minute', () => {
  const t = setup();
  for (let key = 0; key < 1_000; key += 1) t.isDueAt(0, key);

  expect([t.isDueAt(0, 'more'), t.isDueAt(0, 'more')]).toEqual([true, true]);
  expect([t.isDueAt(60_000, 0), t.isDueAt(60_001, 0)]).toEqual([true, false]);
});

function setup() {
  let now = 0;
  const lines = new OnceAMinute(() => now);
  return {
    isDueAt: (ms: number, key: number | string) => {
      now = ms;
      return lines.isDue(key);
    },
  };
}
