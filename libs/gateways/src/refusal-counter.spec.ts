import { expect, test } from '@jest/globals';
import { RefusalCounter } from './refusal-counter.ts';

test('counts the refusals of each message', () => {
  const counter = new RefusalCounter();

  expect(['a', 'b', 'a', 'a'].map((id) => counter.count(id))).toEqual([1, 1, 2, 3]);
});

test('knows a message after all that a gateway refuses in a minute at 1,000 a second', () => {
  const counter = new RefusalCounter();
  counter.count('first');

  for (let n = 0; n < 60_000; n += 1) counter.count(`message-${n}`);

  expect(counter.count('first')).toBe(2);
});

test('forgets a message two hours after its last refusal', () => {
  let now = 0;
  const counter = new RefusalCounter(() => now);
  counter.count('a');
  now += 7_200_000;
  expect(counter.count('a')).toBe(2);

  now += 7_200_001;

  expect(counter.count('a')).toBe(1);
});

test('forgets the longest refused of more than 300,000 messages', () => {
  const counter = new RefusalCounter();
  for (let n = 0; n <= 300_000; n += 1) counter.count(`message-${n}`);

  expect(counter.count('message-2')).toBe(2);
  expect(counter.count('message-0')).toBe(1);
});
