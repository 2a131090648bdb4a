import { expect, test } from '@jest/globals';
import { readCsvFile } from './read-csv-file.ts';
import { recipientsOf, toFile } from './recipients.ts';

/** Reads a file with a text or with bytes. */
const read = (content: string | Uint8Array<ArrayBuffer>) => readCsvFile(new File([content], 'people.csv'));

test.each<[string, string[][], number]>([
  [
    'the header names it, however long the ids are',
    [
      ['sku', 'Mobile no.'],
      ['4006381333931', '919812345678'],
    ],
    1,
  ],
  [
    'a number of another kind has a header too',
    [
      ['order number', 'tel'],
      ['919812345679', '919812345678'],
    ],
    1,
  ],
  [
    'the others are shorter',
    [
      ['customer_id', 'contact'],
      ['10023456', '919812345678'],
    ],
    1,
  ],
  [
    'the others have no plus',
    [
      ['a', 'b'],
      ['919812345679', '+919812345678'],
    ],
    1,
  ],
  [
    'the header names an empty column',
    [
      ['contact', 'phone'],
      ['919812345678', ''],
    ],
    0,
  ],
  [
    'most rows have a number there',
    [
      ['contact', 'phone 2'],
      ['4412345678', 'none'],
      ['4412345679', 'x'],
      ['4412345671', '919812345678'],
    ],
    0,
  ],
])('the numbers are in the column of which %s', (_, table, column) => {
  expect(toFile('people.csv', table).numberColumn).toBe(column);
});

test('a first row with a wrong number is no header', () => {
  const file = toFile('people.csv', [['09812345678'], ['919800000101']]);

  expect(file.columns).toEqual(['Column 1']);
  expect(recipientsOf({ file, typed: '' }).bad).toEqual([{ place: 1, text: '09812345678' }]);
});

test('a wrong number is named by its row in the file, also after a header and blank rows', async () => {
  const file = await read('phone,name\r\n\r\n919800000100,Ann\r\n\r\n12ab,"Bea\r\nof Paris"\r\n9,Cyd\r\n');
  if ('problem' in file) throw new Error(file.problem);

  expect(file.rows).toHaveLength(3);
  expect(recipientsOf({ file, typed: '' }).bad).toEqual([
    { place: 5, text: '12ab' },
    { place: 6, text: '9' },
  ]);
});

test.each<[string, Uint8Array<ArrayBuffer>, string | undefined]>([
  ['UTF-8', new TextEncoder().encode('\uFEFFname;phone\nMüller €;919800000100\n'), undefined],
  ['Windows-1252', Buffer.from('name;phone\nM\xFCller \x80;919800000100\n', 'latin1'), 'Windows-1252'],
  ['UTF-16', Buffer.from('\uFEFFname;phone\nMüller €;919800000100\n', 'utf16le'), 'UTF-16'],
  [
    'big-endian UTF-16',
    Buffer.from('\uFEFFname;phone\nMüller €;919800000100\n', 'utf16le').swap16(),
    'UTF-16',
  ],
])('a file in %s is read', async (_, bytes, encoding) => {
  expect(await read(bytes)).toMatchObject({
    encoding,
    columns: ['name', 'phone'],
    rows: [['Müller €', '919800000100']],
    numberColumn: 1,
  });
});

test.each([
  ['', 'The file is empty.'],
  [' \n,\n', 'The file is empty.'],
  ['phone\n"9198', 'Row 2 cannot be read'],
  ['phone\n\n"9198', 'Row 3 cannot be read'],
])('the file %j is refused', async (text, problem) => {
  expect(await read(text)).toEqual({ problem: expect.stringContaining(problem) });
});
