import { expect, test } from '@jest/globals';
import type { CarrierPrefix } from '@signalbox/domain/routing/carrier-table';
import { openRows } from '@signalbox/test/rows';
import { Carriers, findCarrierImport, replaceCarriers, seedDemoCarriers } from './carriers.ts';

async function* table(
  ...entries: [prefix: string, operator: string, circle: string][]
): AsyncGenerator<CarrierPrefix> {
  for (const [prefix, operator, circle] of entries) yield { prefix, operator, circle };
}

test('numbers have the operator of the newest import, and those of none are unknown', async () => {
  await using rows = await openRows();
  const carriers = await Carriers.open(rows.db);
  expect(carriers.nameOf('919800000001')).toBe('UNKNOWN');

  await replaceCarriers(rows.db, table(['91', 'Any', ''], ['9198', 'Airtel', 'Delhi']), 'first');
  await carriers.refresh();
  expect(['919800000001', '917000000001', '14155550123'].map((number) => carriers.nameOf(number))).toEqual([
    'Airtel, Delhi',
    'Any',
    'UNKNOWN',
  ]);

  await replaceCarriers(rows.db, table(['1', 'Verizon', '']), 'second');
  await carriers.refresh();
  expect(['919800000001', '14155550123'].map((number) => carriers.nameOf(number))).toEqual([
    'UNKNOWN',
    'Verizon',
  ]);
  expect(await rows.db.query('SELECT prefix FROM carrier_prefix')).toEqual([{ prefix: '1' }]);
});

test('an import that fails on its way leaves the table as it was', async () => {
  await using rows = await openRows();
  await replaceCarriers(rows.db, table(['91', 'Any', '']), 'first');
  const broken = async function* (): AsyncGenerator<CarrierPrefix> {
    for (let i = 0; i < 6_000; i += 1) yield { prefix: String(1_000_000 + i), operator: 'Other', circle: '' };
    throw new Error('line 6001: broken');
  };

  await expect(replaceCarriers(rows.db, broken(), 'second')).rejects.toThrow('line 6001');

  const carriers = await Carriers.open(rows.db);
  expect(carriers.nameOf('919800000001')).toBe('Any');
});

test('a table of more entries than one read returns is complete', async () => {
  await using rows = await openRows();
  const many = async function* (): AsyncGenerator<CarrierPrefix> {
    for (let i = 0; i < 60_000; i += 1)
      yield { prefix: String(9_100_000 + i), operator: `Operator ${i % 50}`, circle: '' };
  };

  expect(await replaceCarriers(rows.db, many(), 'many')).toBe(60_000);

  const carriers = await Carriers.open(rows.db);
  expect([0, 49_999, 59_999].map((i) => carriers.nameOf(`${9_100_000 + i}12345`))).toEqual([
    'Operator 0',
    'Operator 49',
    'Operator 49',
  ]);
});

test('the demo table never takes the place of an imported one', async () => {
  await using rows = await openRows();
  await seedDemoCarriers(rows.url);
  const demo = await Carriers.open(rows.db);
  expect(demo.nameOf('919812345678')).toBe('Demo operator, Mumbai');

  await replaceCarriers(rows.db, table(['91', 'Any', '']), 'own.csv');
  const own = await findCarrierImport(rows.db);
  await seedDemoCarriers(rows.url);

  expect(await findCarrierImport(rows.db)).toBe(own);
});
