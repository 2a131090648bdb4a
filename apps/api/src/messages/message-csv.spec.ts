import { expect, test } from '@jest/globals';
import { csvLines } from './message-csv.ts';
import type { MessageSummary } from './message.view.ts';

const CAMPAIGN = /,IN,(?<cell>"(?:[^"]|"")*"|[^,]*),,/s;

/** The cell of a campaign, as a spreadsheet that separates by commas reads it. */
function campaignCell(campaignName: string): string {
  const message = { country: 'IN', campaignName, clientRef: null } as MessageSummary;
  const { cell = '' } = CAMPAIGN.exec(csvLines([message]))!.groups!;
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

test.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
  'a cell that begins with %j begins with an apostrophe',
  (begin) => {
    expect(campaignCell(`${begin}1+1`)).toBe(`'${begin}1+1`);
  },
);

test.each([
  ['ok;=1+1', `ok;'=1+1`],
  ['ok;"=1+1;', `ok;"'=1+1;`],
  ['ok\t@x', `ok\t'@x`],
  ['ok\r\n=1+1', `ok\r\n'=1+1`],
  ['a=1; b-2', 'a=1; b-2'],
])('a formula behind another separator, as in %j, gets an apostrophe', (name, expected) => {
  expect(campaignCell(name)).toBe(expected);
});
