import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { withAdvisoryLock } from './advisory-lock.ts';

test('two passes of a name never run at the same time', async () => {
  await using rows = await openRows();
  let others: (string | undefined)[] = [];

  const first = await withAdvisoryLock(rows.db, 'sweep', async () => {
    others = await Promise.all([
      withAdvisoryLock(rows.db, 'sweep', async () => 'ran'),
      withAdvisoryLock(rows.db, 'other', async () => 'ran'),
    ]);
    return 'ran';
  });

  expect([first, ...others]).toEqual(['ran', undefined, 'ran']);
});
