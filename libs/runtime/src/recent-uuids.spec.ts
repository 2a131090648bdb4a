import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { RecentUuids } from './recent-uuids.ts';

test('the latest ids are remembered, and those before twice as many are forgotten', () => {
  const recent = new RecentUuids(100);
  const ids = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? randomUUID() : randomUUIDv7()));

  for (const [i, id] of ids.entries()) {
    recent.add(id);
    const latest = ids.slice(Math.max(0, i - 99), i + 1);
    expect(latest.every((each) => recent.has(each))).toBe(true);
    expect(ids.slice(0, Math.max(0, i - 199)).some((each) => recent.has(each))).toBe(false);
    expect(ids.slice(i + 1).some((each) => recent.has(each))).toBe(false);
  }
});

test('an id that is added again takes no further place', () => {
  const recent = new RecentUuids(2);
  const [first, again] = [randomUUID(), randomUUID()];
  recent.add(first);
  for (let i = 0; i < 10; i += 1) recent.add(again);

  expect(recent.has(first)).toBe(true);
});

test.each([0, 9, 14, 19, 24, 28, 35])('ids that differ at character %i only are different', (at) => {
  const id = '00000000-0000-0000-0000-000000000000';
  const other = `${id.slice(0, at)}f${id.slice(at + 1)}`;
  const recent = new RecentUuids(10);
  recent.add(id);

  expect([recent.has(id), recent.has(other)]).toEqual([true, false]);
});
