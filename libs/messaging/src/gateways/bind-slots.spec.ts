import { expect, test } from '@jest/globals';
import type { BindSlots, Slot } from '@signalbox/gateways/bind-slots';
import { createLogger } from '@signalbox/runtime/logger';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { BindSlotLeases } from './bind-slots.ts';

const SILENT = createLogger('test', 'silent');

async function setup(workers: number) {
  const rows = await openRows();
  const leases = Array.from({ length: workers }, () => new BindSlotLeases(rows.db, SILENT));
  return {
    rows,
    leases,
    async [Symbol.asyncDispose]() {
      await Promise.all(leases.map((each) => each.close()));
      await rows[Symbol.asyncDispose]();
    },
  };
}

test('five workers hold the two binds of a gateway in two of them', async () => {
  await using t = await setup(5);
  const slots = await Promise.all(t.leases.map((worker) => seek(worker, 'smsc', 2)));
  const held = slots.filter((slot) => slot !== undefined);
  expect(held.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([0, 1]);

  await held[0]!.release();
  expect(await seek(t.leases[4]!, 'smsc', 2)).toMatchObject({ index: held[0]!.index });
});

test('a slot that another worker has taken is lost at the next renewal', async () => {
  await using t = await setup(2);
  const slot = await t.leases[0]!.acquire('smsc', 1);
  await endLeases(t.rows);
  expect(await t.leases[1]!.acquire('smsc', 1)).toMatchObject({ index: 0 });

  await aborted(slot!.lost);

  await slot!.release();
  expect(await t.rows.db.query('SELECT slot FROM bind_slot')).toEqual([{ slot: 0 }]);
});

test('a worker keeps its slots while it lives, and knows how many are in use', async () => {
  await using t = await setup(2);
  const slot = await t.leases[0]!.acquire('smsc', 2);
  expect(slot!.inUse()).toBe(1);
  await t.leases[1]!.acquire('smsc', 2);
  await endLeases(t.rows);

  await waitFor(() => slot!.inUse() > 1, { otherwise: 'the other slot was not counted' });

  expect(slot!.lost.aborted).toBe(false);
});

test('closing frees all slots', async () => {
  await using t = await setup(1);
  await t.leases[0]!.acquire('a', 1);
  await t.leases[0]!.acquire('b', 1);
  await t.leases[0]!.close();
  expect(await t.rows.db.query('SELECT slot FROM bind_slot')).toEqual([]);
});

/** Asks again after losing a free slot to a faster worker. */
async function seek(worker: BindSlots, gateway: string, slots: number): Promise<Slot | undefined> {
  for (let round = 0; round < 5; round += 1) {
    const slot = await worker.acquire(gateway, slots);
    if (slot) return slot;
  }
  return undefined;
}

async function endLeases(rows: TestRows): Promise<void> {
  await rows.db.query(`UPDATE bind_slot SET leased_until = now() - interval '1 second'`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
