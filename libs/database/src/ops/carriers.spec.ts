import { expect, test } from '@jest/globals';
import type { OperatorPrefix } from '@signalbox/domain/routing/carrier-table';
import { openRows } from '@signalbox/test/rows';
import { Operators, findOperatorImport, replaceOperators, seedDemoOperators } from './carriers.ts';

async function* table(
  ...entries: [prefix: string, operator: string, circle: string][]
): AsyncGenerator<OperatorPrefix> {
  for (const [prefix, operator, circle] of entries) yield { prefix, operator, circle };
}

test('numbers have the operator of the newest import, and those of none are unknown', async () => {
  await using rows = await openRows();
  const operators = await Operators.open(rows.db);
  expect(operators.nameOf('919800000001')).toBe('UNKNOWN');

  await replaceOperators(rows.db, table(['91', 'Any', ''], ['9198', 'Airtel', 'Delhi']), 'first');
  await operators.refresh();
  expect(['919800000001', '917000000001', '14155550123'].map((number) => operators.nameOf(number))).toEqual([
    'Airtel, Delhi',
    'Any',
    'UNKNOWN',
  ]);

  await replaceOperators(rows.db, table(['1', 'Verizon', '']), 'second');
  await operators.refresh();
  expect(['919800000001', '14155550123'].map((number) => operators.nameOf(number))).toEqual([
    'UNKNOWN',
    'Verizon',
  ]);
  expect(await rows.db.query('SELECT prefix FROM operator_prefix')).toEqual([{ prefix: '1' }]);
});

test('an import that fails on its way leaves the table as it was', async () => {
  await using rows = await openRows();
  await replaceOperators(rows.db, table(['91', 'Any', '']), 'first');
  const broken = async function* (): AsyncGenerator<OperatorPrefix> {
    for (let i = 0; i < 6_000; i += 1) yield { prefix: String(1_000_000 + i), operator: 'Other', circle: '' };
    throw new Error('line 6001: broken');
  };

  await expect(replaceOperators(rows.db, broken(), 'second')).rejects.toThrow('line 6001');

  const operators = await Operators.open(rows.db);
  expect(operators.nameOf('919800000001')).toBe('Any');
});

test('a table of more entries than are read at once is whole', async () => {
  await using rows = await openRows();
  const many = async function* (): AsyncGenerator<OperatorPrefix> {
    for (let i = 0; i < 60_000; i += 1)
      yield { prefix: String(9_100_000 + i), operator: `Operator ${i % 50}`, circle: '' };
  };

  expect(await replaceOperators(rows.db, many(), 'many')).toBe(60_000);

  const operators = await Operators.open(rows.db);
  expect([0, 49_999, 59_999].map((i) => operators.nameOf(`${9_100_000 + i}12345`))).toEqual([
    'Operator 0',
    'Operator 49',
    'Operator 49',
  ]);
});

test('the demo table never takes the place of an imported one', async () => {
  await using rows = await openRows();
  await seedDemoOperators(rows.url);
  const demo = await Operators.open(rows.db);
  expect(demo.nameOf('919812345678')).toBe('Demo operator, Mumbai');

  await replaceOperators(rows.db, table(['91', 'Any', '']), 'own.csv');
  const own = await findOperatorImport(rows.db);
  await seedDemoOperators(rows.url);

  expect(await findOperatorImport(rows.db)).toBe(own);
});
