import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { PollLoop } from './poll-loop.ts';

/** Opens a loop whose rounds end when the test resolves them. */
function setup(gapMs = 0, waitMs = 0) {
  const rounds: ((delayMs?: number) => void)[] = [];
  const gaps: number[] = [];
  const round = (): Promise<number | undefined> => new Promise((resolve) => rounds.push(resolve));
  const subject = new PollLoop(round, {
    gapMs: () => (gaps.push(gapMs), gapMs),
    waitMs: () => waitMs,
  });
  const until = async (count: number): Promise<void> => {
    while (rounds.length < count) await setImmediate();
  };
  return { subject, rounds, gaps, until };
}

test('rounds follow each other until nothing is left, and start again with a wake-up', async () => {
  const { subject, rounds, until } = setup();
  subject.wake();
  await until(1);
  rounds[0]?.(0);
  await until(2);
  expect(subject.isRunning).toBe(true);
  rounds[1]?.();
  await setImmediate();
  await setImmediate();
  expect([rounds.length, subject.isRunning]).toEqual([2, false]);
  subject.wake();
  await until(3);
});

test('at most two rounds run, and a wake-up meanwhile causes another one', async () => {
  const { subject, rounds, until } = setup();
  for (let i = 0; i < 5; i += 1) subject.wake();
  await until(2);
  subject.wake();
  await setImmediate();
  expect(rounds).toHaveLength(2);
  rounds[0]?.();
  await until(3);
});

test('wake-ups within the gap after a round began share one round at its end', async () => {
  const { subject, rounds, until } = setup(100);
  subject.wake();
  await until(1);
  for (let i = 0; i < 5; i += 1) subject.wake();
  rounds[0]?.();
  await until(2);
  rounds[1]?.();
  while (subject.isRunning && rounds.length < 3) await setImmediate();
  expect(rounds).toHaveLength(2);
});

test('wake-ups in a gap start no second one, and close ends it', async () => {
  const { subject, rounds, gaps, until } = setup(60_000);
  subject.wake();
  await until(1);
  subject.wake();
  rounds[0]?.();
  await setImmediate();
  subject.wake();
  await subject.close();
  expect([rounds.length, gaps.length]).toEqual([1, 2]); // none waits before the first round
});

test('a long wait ends after a second, so that a higher rate takes effect', async () => {
  const { subject, until } = setup(0, 3_600_000);
  subject.wake();
  await until(1);
  expect(subject.isRunning).toBe(true);
});

test('a round begins after the gap although the one before it has not ended', async () => {
  const { subject, rounds, until } = setup(5);
  subject.wake();
  await until(1);
  subject.wake();
  await until(2);
  expect(rounds).toHaveLength(2);
});

test('close waits for the rounds in progress, interrupts a rest, and starts no more', async () => {
  const { subject, rounds, until } = setup();
  subject.wake();
  await until(1);
  subject.wake();
  await until(2);
  rounds[0]?.(60_000);
  let closed = false;
  const closing = subject.close().then(() => (closed = true));
  await setImmediate();
  expect(closed).toBe(false);
  rounds[1]?.(0);
  await closing;
  subject.wake();
  await setImmediate();
  expect(rounds).toHaveLength(2);
});
