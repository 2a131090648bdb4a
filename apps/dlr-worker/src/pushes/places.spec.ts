import { expect, test } from '@jest/globals';
import { type Room, Places } from './places.ts';

test('one account alone leaves a share free', () => {
  const places = new Places(100);

  expect(sumOf(places.fit(rooms('a', 10, 200)))).toBe(50);
});

test('an account at its share gets no more, and another gets its own', () => {
  const places = new Places(90);
  places.take('a', 45);

  const fitted = places.fit([...rooms('a', 3, 20), ...rooms('b', 3, 20)]);

  expect(fitted.every(({ accountId }) => accountId === 'b')).toBe(true);
  expect(sumOf(fitted)).toBe(30);
});

test('an account without a push in progress gets a place though all are taken', () => {
  const places = new Places(10);
  places.take('a', 10);

  expect(sumOf(places.fit(rooms('b', 3, 20)))).toBe(1);
});

test('places that are free again can be taken', () => {
  const places = new Places(10);
  places.take('a', 5);
  for (let i = 0; i < 5; i += 1) places.free('a');

  expect(sumOf(places.fit(rooms('a', 1, 20)))).toBe(5);
});

test('more endpoints than places get one each, as far as they go', () => {
  const fitted = new Places(8).fit(rooms('a', 20, 200));

  expect(fitted.map(({ room }) => room)).toEqual([1, 1, 1, 1]);
});

function rooms(accountId: string, count: number, room: number): Room[] {
  return Array.from({ length: count }, (_, i) => ({ webhookId: `${accountId} ${i}`, accountId, room }));
}

function sumOf(fitted: Room[]): number {
  return fitted.reduce((sum, { room }) => sum + room, 0);
}
