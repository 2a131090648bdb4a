import { expect, test } from '@jest/globals';
import { Fleet, type Roster } from './fleet.ts';

test('the shares of all members add up to the limit for every key', async () => {
  const fleets = await members(3);
  for (const limit of [0, 1, 2, 3, 4, 10, 100]) {
    for (const key of ['a', 'b', 'c', 'endpoint 7']) {
      const shares = fleets.map((fleet) => fleet.share(key, limit));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
  }
});

test('the remainder goes to different members for different keys', async () => {
  const fleets = await members(3);
  const counts = fleets.map((fleet) =>
    Array.from({ length: 300 }, (_, i) => fleet.share(`key ${i}`, 1)).reduce((sum, share) => sum + share, 0),
  );

  expect(Math.min(...counts)).toBeGreaterThan(50);
});

test('the remaining member takes over the share of one that left', async () => {
  const [a, b] = await members(2);
  expect(a!.share('x', 4) + b!.share('x', 4)).toBe(4);
  expect(a!.shareOfRate(5)).toBe(2.5);

  await b!.close();
  await a!.beat();

  expect(a!.share('x', 4)).toBe(4);
  expect(a!.shareOfRate(5)).toBe(5);
});

test('members that were late together take over no share of one another', async () => {
  let nowMs = 0;
  const living = new Set<string>();
  const roster = rosterOf(living);
  const [a, b] = [new Fleet(roster, () => nowMs), new Fleet(roster, () => nowMs)];
  for (const fleet of [a, b, a]) await fleet.beat();

  nowMs += 5_000;
  living.delete(b.id);
  await a.beat(); // removes b from the roster, as it was silent

  expect(a.share('x', 1) + b.share('x', 1)).toBe(1);

  nowMs += 1_000;
  await a.beat(); // b has sent none since

  expect(a.share('x', 1)).toBe(1);
});

/** A roster from which nobody is removed by silence. */
function rosterOf(living: Set<string>): Roster {
  return {
    beat: async (id) => [...living.add(id)],
    leave: async (id) => void living.delete(id),
  };
}

async function members(count: number): Promise<Fleet[]> {
  const roster = rosterOf(new Set());
  const fleets = Array.from({ length: count }, () => new Fleet(roster));
  for (const fleet of [...fleets, ...fleets]) await fleet.beat();
  return fleets;
}
