import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { quietNow, takeRound } from '@signalbox/test/rounds';
import { accept, openRows } from '@signalbox/test/rows';
import { reclaim } from '../submissions/reclaim.ts';
import { setAside } from '../submissions/set-aside.ts';
import { discardParked } from './parked.ts';

test('held messages of a discarded submission fail as cancelled ones, each with its report', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await takeRound(rows.db, { quiet: quietNow('91') });
  await setAside(rows.db, 'sms', id);

  await discardParked(rows.db, 'submission', [{ id, n: 0 }], { reason: 'damaged', actor: 'cli' });

  expect(await rows.db.query('SELECT n FROM message WHERE due_at <= now() ORDER BY n')).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
  const { messages, reportIds } = await reclaim(rows.db, [id], LEASE_SECONDS);
  expect([messages, reportIds.length]).toEqual([[], 2]);
  expect(await rows.db.query('SELECT DISTINCT status, err_code FROM message')).toEqual([
    { status: 'FAILED', err_code: '902' },
  ]);
});
