import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { insertLargeSends, openRows } from '@signalbox/test/rows';
import { listSends } from './send-list.ts';
import type { SubmissionFilter } from './submission-walk.ts';

/** Maximum pages of tables and indexes for 10 sends: their recipients, and a look for the messages of each. */
const FEW_PAGES = 300;

test('a page of sends reads the recipients of no other send of the account', async () => {
  await using rows = await openRows();
  const accountId = await insertLargeSends(rows.db);
  const pagesWith = (filter: SubmissionFilter): Promise<number> =>
    countPages(rows.db, (db) => listSends(db, accountId, filter, 10));

  const pages = {
    all: await pagesWith({}),
    campaign: await pagesWith({ campaign: 'large' }),
    reference: await pagesWith({ clientRef: 'large' }),
    sender: await pagesWith({ sender: 'SIGNALBX' }),
  };

  expect(Object.entries(pages).filter(([, count]) => count > FEW_PAGES)).toEqual([]);
});
