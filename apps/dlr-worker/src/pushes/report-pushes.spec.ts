import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { PushResults } from './push-results.ts';
import { ReportPushes, Settlement } from './report-pushes.ts';

const { db } = await openSharedRows();

test('a settlement ends when all of its reports are settled', async () => {
  const settlement = new Settlement(2);
  let hasEnded = false;
  const done = settlement.done.then(() => (hasEnded = true));

  settlement.resolve();
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);

  settlement.resolve();
  await done;
});

test('a settlement throws its first error once all of its reports have ended', async () => {
  const settlement = new Settlement(3);
  let error: unknown;
  const done = settlement.done.catch((thrown: unknown) => (error = thrown));

  settlement.reject(new Error('first'));
  settlement.reject(new Error('second'));
  await new Promise(setImmediate);
  expect(error).toBeUndefined();

  settlement.resolve();
  await done;
  expect(error).toEqual(new Error('first'));
});

test('a report whose pushes all fail counts once', async () => {
  const settlement = new Settlement(2);
  let hasEnded = false;
  const done = settlement.done.catch(() => (hasEnded = true));
  const report = new ReportPushes('a report', [], new PushResults(db, new AccountThrottle()), settlement);

  report.reject(new Error('the first push failed'));
  report.reject(new Error('the second push failed'));
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);

  settlement.resolve();
  await done;
});

test('a push that fails after the end of its report counts no more', async () => {
  const settlement = new Settlement(2);
  let hasEnded = false;
  const done = settlement.done.finally(() => (hasEnded = true));
  const results = new PushResults(db, new AccountThrottle());
  const report = new ReportPushes(randomUUIDv7(), [], results, settlement);

  report.settle();
  report.reject(new Error('failed late'));
  await results.close();
  expect(hasEnded).toBe(false);

  settlement.resolve();
  await done;
});
