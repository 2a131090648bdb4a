import { expect, test } from '@jest/globals';
import { type Room, RetrySlots } from './retry-slots.ts';

test('one account alone leaves a share free', () => {
  const slots = new RetrySlots(100);

  expect(sumOf(slots.fit(rooms('a', 10, 200)))).toBe(50);
});

test('an account at its share gets no more, and another gets its own', () => {
  const slots = new RetrySlots(90);
  slots.take('a', 45);

  const fitted = slots.fit([...rooms('a', 3, 20), ...rooms('b', 3, 20)]);

  expect(fitted.every(({ accountId }) => accountId === 'b')).toBe(true);
  expect(sumOf(fitted)).toBe(30);
});

test('an account without a push in progress gets a slot though all are taken', () => {
  const slots = new RetrySlots(10);
  slots.take('a', 10);

  expect(sumOf(slots.fit(rooms('b', 3, 20)))).toBe(1);
});

test('slots that are free again can be taken', () => {
  const slots = new RetrySlots(10);
  slots.take('a', 5);
  for (let i = 0; i < 5; i += 1) slots.free('a');

  expect(sumOf(slots.fit(rooms('a', 1, 20)))).toBe(5);
});

test('more endpoints than slots get one each, as far as they go', () => {
  const fitted = new RetrySlots(8).fit(rooms('a', 20, 200));

  expect(fitted.map(({ room }) => room)).toEqual([1, 1, 1, 1]);
});

function rooms(accountId: string, count: number, room: number): Room[] {
  return Array.from({ length: count }, (_, i) => ({ webhookId: `${accountId} ${i}`, accountId, room }));
}

function sumOf(fitted: Room[]): number {
  return fitted.reduce((sum, { room }) => sum + room, 0);
}
