import { describe, expect, test } from '@jest/globals';
import { describeStatus } from './status.ts';
import { type StatusOutcome, StatusTable } from './status-table.ts';

const TABLE = new StatusTable([]);

describe('a status of a submit', () => {
  test.each<[string, string]>([
    ['00', 'accepted'],
    ['58 14', 'throttled'],
    ['08 64 45 FF', 'faulty'],
    ['04 05 0D 0E 0F 53', 'unbound'],
    ['0A 48 49', 'rejected 007, another gateway may take it'],
    ['0B 50 51', 'rejected 003'],
    ['01 02 03 06 07 15 43 61 62 104', 'rejected 013, our fault'],
    ['C0 C1 C2 C3 C4', 'rejected 013, our fault'],
    ['65 66 FE 100 101 102 103', 'rejected 002'],
    ['400 401 4FF 0C 67 7FFFFFFF', 'rejected 099'],
  ])('%s means: %s', (statuses, expected) => {
    for (const status of statuses.split(' '))
      expect(`${status} ${inWords(TABLE.find(Number.parseInt(status, 16), false))}`).toBe(
        `${status} ${expected}`,
      );
  });

  test.each(['C0', 'C1', 'C2', 'C3', 'C4'])('%s blames the DLT registration when it was sent', (status) => {
    expect(inWords(TABLE.find(Number.parseInt(status, 16), true))).toBe('rejected 009');
  });
});

test("a gateway's own rules come before the table", () => {
  const table = new StatusTable([
    { status: '0x0403', outcome: 'throttled' },
    { status: '0x0A', outcome: 'rejected', errCode: '011', tryOther: true },
    { status: '0x66', outcome: 'faulty' },
    { status: '0x0400', outcome: 'rejected' },
  ]);
  expect([0x403, 0x0a, 0x66, 0x400, 0x0b].map((status) => inWords(table.find(status, false)))).toEqual([
    'throttled',
    'rejected 011, another gateway may take it',
    'faulty',
    'rejected 099',
    'rejected 003',
  ]);
});

test.each([
  [0x58, '0x58 (throttled)'],
  [0x0e, '0x0E (invalid password)'],
  [0x403, '0x403'],
])('%d is described as %s', (status, words) => {
  expect(describeStatus(status)).toBe(words);
});

function inWords(outcome: StatusOutcome): string {
  if (outcome.result !== 'rejected') return outcome.result;
  const { errCode, tryOther, isOurFault } = outcome;
  return `rejected ${errCode}${tryOther ? ', another gateway may take it' : ''}${isOurFault ? ', our fault' : ''}`;
}
