import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { ClockCheck } from './clock-check.ts';

const HOUR_MS = 3_600_000;

test('an api whose clock is an hour from that of Postgres logs it', async () => {
  await using rows = await openRows();
  const logged: { skewMs: number }[] = [];
  const logger = { error: (fields: { skewMs: number }) => void logged.push(fields) };
  const checkOf = (aheadMs: number) =>
    new ClockCheck(rows.db, logger as never, () => Date.now() + aheadMs).check();

  await checkOf(0);
  await checkOf(HOUR_MS);
  await checkOf(-HOUR_MS);

  expect(logged.map(({ skewMs }) => Math.round(skewMs / HOUR_MS))).toEqual([-1, 1]);
});
