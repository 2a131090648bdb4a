import { expect, test } from '@jest/globals';
import { CallSlots } from './call-slots.ts';

test('an urgent caller gets the next slot, before others that wait longer', async () => {
  const slots = new CallSlots(1);
  const { signal } = new AbortController();
  const order: string[] = [];
  const call = (name: string, isUrgent: boolean) =>
    slots.acquire(60_000, signal, isUrgent).then(() => {
      order.push(name);
      slots.release();
    });
  await slots.acquire(60_000, signal);
  const calls = [call('promotion', false), call('code', true), call('later code', true)];

  slots.release();
  await Promise.all(calls);

  expect(order).toEqual(['code', 'later code', 'promotion']);
});
