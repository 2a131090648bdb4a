import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { accept, openRows } from '@signalbox/test/rows';
import { fanOutFairly } from './fair-fan-out.ts';

test('a round looks up the opt-out of each recipient once', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const recipients = Array.from({ length: 10 }, (_, i) => String(919_800_000_000 + i));
  await accept(rows.db, { accountId, recipients });
  await rows.db.query(
    `WITH account AS (
       INSERT INTO account (id, name) VALUES ($1, 'opt-outs') RETURNING id
     )
     INSERT INTO opt_out (account_id, recipient, sender, id, source, created_at)
     SELECT $1, recipient, '', uuidv7(), 'api', now() FROM unnest($2::text[]) AS recipient`,
    [accountId, recipients],
  );

  await rows.db.transaction(async (db) => {
    const share = { budget: 1_000, allowances: new Map(), after: null, quiet: [] };
    await fanOutFairly(db, 'TRANS', share, LEASE_SECONDS);
    const [{ reads }]: [{ reads: number }] = await db.query(
      `SELECT (seq_tup_read + idx_tup_fetch)::integer AS reads
         FROM pg_stat_xact_user_tables
        WHERE relname = 'opt_out'`,
    );
    expect(reads).toBe(recipients.length + 1); // one to see that the account has any
  });
});
