import { expect, test } from '@jest/globals';
import { csvLines } from './message-csv.ts';
import type { MessageSummary } from './message.view.ts';

const CAMPAIGN = /,IN,(?<cell>"(?:[^"]|"")*"|[^,]*),,/s;

test.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
  'a cell that begins with %j begins with an apostrophe',
  (begin) => {
    const message = { country: 'IN', campaignName: `${begin}1+1` } as MessageSummary;

    const { cell = '' } = CAMPAIGN.exec(csvLines([{ ...message, clientRef: null }]))!.groups!;

    expect(cell.replaceAll('"', '')).toBe(`'${begin}1+1`);
  },
);
