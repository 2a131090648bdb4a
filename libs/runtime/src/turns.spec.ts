import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Turns } from './turns.ts';

/** Turns that end when they are told to. */
function setup() {
  const turns: ((restMs?: number) => void)[] = [];
  const subject = new Turns(() => new Promise((resolve) => turns.push(resolve)));
  const until = async (count: number): Promise<void> => {
    while (turns.length < count) await setImmediate();
  };
  return { subject, turns, until };
}

test('turns go on until there is nothing left, and begin again when there is something', async () => {
  const { subject, turns, until } = setup();
  subject.wake();
  await until(1);
  turns[0]?.(0);
  await until(2);
  expect(subject.isServing).toBe(true);
  turns[1]?.();
  await setImmediate();
  await setImmediate();
  expect([turns.length, subject.isServing]).toEqual([2, false]);
  subject.wake();
  await until(3);
});

test('at most two turns are under way, and who is woken meanwhile takes another', async () => {
  const { subject, turns, until } = setup();
  for (let i = 0; i < 5; i += 1) subject.wake();
  await until(2);
  subject.wake();
  await setImmediate();
  expect(turns).toHaveLength(2);
  turns[0]?.();
  await until(3);
});

test('closing waits for the turns under way, interrupts a rest, and takes no more', async () => {
  const { subject, turns, until } = setup();
  subject.wake();
  await until(1);
  subject.wake();
  await until(2);
  turns[0]?.(60_000);
  let closed = false;
  const closing = subject.close().then(() => (closed = true));
  await setImmediate();
  expect(closed).toBe(false);
  turns[1]?.(0);
  await closing;
  subject.wake();
  await setImmediate();
  expect(turns).toHaveLength(2);
});
