import { expect, test } from '@jest/globals';
import { bisect } from './bisect.ts';

test('a batch without a refused item is stored in one call', async () => {
  const { batches, refused } = await run([1, 2, 3]);

  expect([batches, refused]).toEqual([[[1, 2, 3]], []]);
});

test('refused items are found alone, and the others are stored in order', async () => {
  const items = Array.from({ length: 500 }, (_, i) => i);

  const { stored, refused, batches } = await run(items, [0, 255, 499]);

  expect(stored).toEqual(items.filter((item) => ![0, 255, 499].includes(item)));
  expect(refused.map(({ item }) => item)).toEqual([0, 255, 499]);
  expect(batches.length).toBeLessThan(60);
});

test('an outage is thrown after one attempt', async () => {
  const batches: number[][] = [];
  const store = async (items: number[]): Promise<void> => {
    batches.push(items);
    throw new Error('the connection is lost');
  };

  await expect(bisect([1, 2, 3, 4], store, () => false)).rejects.toThrow('the connection is lost');

  expect(batches).toHaveLength(1);
});

/** Stores items, of which `bad` ones are refused. */
async function run(items: number[], bad: number[] = []) {
  const [stored, batches]: [number[], number[][]] = [[], []];
  const store = async (batch: number[]): Promise<void> => {
    batches.push(batch);
    if (batch.some((item) => bad.includes(item))) throw new RangeError('out of range');
    stored.push(...batch);
  };
  const refused = await bisect(items, store, (error) => error instanceof RangeError);
  return { stored, refused, batches };
}
