import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CarrierCsvError, readCarrierCsv } from './carrier-csv.ts';
import { type CarrierPrefix, CarrierTable } from './carrier-table.ts';

async function* linesOf(lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

async function read(...lines: string[]): Promise<CarrierPrefix[]> {
  const entries: CarrierPrefix[] = [];
  for await (const entry of readCarrierCsv(linesOf(lines))) entries.push(entry);
  return entries;
}

test('cells may have quotes, surrounding spaces and empty circles', async () => {
  expect(
    await read(
      '\uFEFFprefix,operator,circle',
      '9198, Airtel ,Delhi',
      '91,"Big, ""Blue""",',
      '',
      '1415,Verizon,""',
    ),
  ).toEqual([
    { prefix: '9198', operator: 'Airtel', circle: 'Delhi' },
    { prefix: '91', operator: 'Big, "Blue"', circle: '' },
    { prefix: '1415', operator: 'Verizon', circle: '' },
  ]);
});

test('the error names every bad line by its number', async () => {
  const reading = read(
    'prefix,operator,circle',
    '9198,A',
    '0198,A,B',
    '+91,A,B',
    '91,,B',
    '91,A,B',
    '91,C,D',
    '92,"A,B',
    '93,A\tB,C',
  );

  await expect(reading).rejects.toThrow(
    new CarrierCsvError(
      [
        'line 2: must have three cells: prefix, operator and circle',
        'line 3: prefix must be 1 to 15 digits that begin with a country code',
        'line 4: prefix must be 1 to 15 digits that begin with a country code',
        'line 5: operator must not be empty',
        'line 7: prefix 91 stands on an earlier line',
        'line 8: must have three cells: prefix, operator and circle',
        'line 9: operator and circle must be at most 100 printable characters',
      ].join('\n'),
    ),
  );
});

test.each([
  [[], 'the file is empty'],
  [['9198,Airtel,Delhi'], 'line 1: must be the header prefix,operator,circle'],
])('%j is not a carrier table', async (lines, message) => {
  await expect(read(...lines)).rejects.toThrow(new CarrierCsvError(message));
});

test('the longest prefix of a number wins', async () => {
  const prefix = fc.stringMatching(/^[1-9]\d{0,6}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(prefix, { maxLength: 200 }),
      fc.stringMatching(/^[1-9]\d{6,14}$/),
      async (prefixes, number) => {
        const entries = prefixes
          .toSorted()
          .map((text) => ({ prefix: text, operator: `of ${text}`, circle: '' }));
        const table = await CarrierTable.of(
          (async function* () {
            yield* entries;
          })(),
        );
        const longest = prefixes
          .filter((text) => number.startsWith(text))
          .toSorted((a, b) => b.length - a.length)[0];
        expect(table.find(number)).toBe(longest && `of ${longest}`);
      },
    ),
  );
});
