import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { acquireSlot, releaseSlot, renewSlots } from './bind-slots.ts';

test('a gateway with two slots has two holders, whoever asks', async () => {
  await using rows = await openRows();
  const workers = Array.from({ length: 5 }, () => randomUUID());

  const slots = await Promise.all(workers.map((worker) => acquireUntilFull(worker)));

  expect(slots.filter((slot) => slot !== undefined).toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect(await acquireSlot(rows.db, 'other', 1, workers[0]!)).toEqual({ slot: 0, inUse: 1 });

  /** Several workers that see the same free slot lose it to the first, and ask again. */
  async function acquireUntilFull(worker: string): Promise<number | undefined> {
    for (let round = 0; round < 5; round += 1) {
      const got = await acquireSlot(rows.db, 'smsc', 2, worker);
      if (got) return got.slot;
    }
    return undefined;
  }
});

test('a slot whose lease has ended goes to the next worker, and its holder learns it', async () => {
  await using rows = await openRows();
  const [dead, heir] = [randomUUID(), randomUUID()];
  await acquireSlot(rows.db, 'smsc', 1, dead);
  expect(await acquireSlot(rows.db, 'smsc', 1, heir)).toBeUndefined();

  await rows.db.query(`UPDATE bind_slot SET leased_until = now() - interval '1 second'`);

  expect(await acquireSlot(rows.db, 'smsc', 1, heir)).toEqual({ slot: 0, inUse: 1 });
  expect(await renewSlots(rows.db, [dead])).toEqual([]);
  expect(await releaseSlot(rows.db, dead)).toBe(false);
});

test('renewed leases name the slots in use at their gateway', async () => {
  await using rows = await openRows();
  const [mine, other, further] = [randomUUID(), randomUUID(), randomUUID()];
  await acquireSlot(rows.db, 'a', 2, mine);
  expect(await acquireSlot(rows.db, 'a', 2, other)).toEqual({ slot: 1, inUse: 2 });
  await acquireSlot(rows.db, 'b', 1, further);

  expect((await renewSlots(rows.db, [mine, further])).toSorted((x, y) => y.inUse - x.inUse)).toEqual([
    { holder: mine, slot: 0, inUse: 2 },
    { holder: further, slot: 0, inUse: 1 },
  ]);
});

test('a slot that is released is free immediately', async () => {
  await using rows = await openRows();
  const [me, next] = [randomUUID(), randomUUID()];
  await acquireSlot(rows.db, 'smsc', 1, me);

  expect(await releaseSlot(rows.db, me)).toBe(true);

  expect(await acquireSlot(rows.db, 'smsc', 1, next)).toEqual({ slot: 0, inUse: 1 });
});
