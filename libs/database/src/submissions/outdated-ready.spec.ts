import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { accept, openRows } from '@signalbox/test/rows';
import { fanOutFairly } from './fair-fan-out.ts';

const SHARE = { budget: 1_000, allowances: new Map(), after: null, quiet: [] };

test('an outdated row of a large submission does not end the rounds', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const recipients = Array.from({ length: 2_000 }, (_, i) => String(919_800_000_000 + i));
  const { id } = await accept(rows.db, { accountId, recipients });
  const next = await accept(rows.db, { accountId });
  await rows.db.query('UPDATE submission SET fanned_upto = 2000, fanned_out_at = now() WHERE id = $1', [id]);

  const first = await fanOutFairly(rows.db, 'TRANS', SHARE, LEASE_SECONDS);
  const second = await fanOutFairly(rows.db, 'TRANS', SHARE, LEASE_SECONDS);

  expect(first).toMatchObject({ chunks: [], more: true });
  expect(second).toMatchObject({ chunks: [{ id: next.id }], more: false });
});
