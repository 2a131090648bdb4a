import type pg from 'pg';

/** Bulks of the large account; each has BULK recipients, and they hold two fifths of all messages. */
const BULK = 10_000;
const FIRST_AT = Date.UTC(2026, 0, 1);
/** Between two single sends: 3,000,000 of them take 90 days. */
const STEP_MS = 2_592;
const CAMPAIGNS = 20;
const NUMBERS = 1_000_000;

/** The stored rows, and values to search for. */
export interface FilledMessages {
  accountId: string;
  searches: Record<string, () => Record<string, string>>;
}

/**
 * Stores messages of the demo account (four fifths, half of them in bulks) and of 50 others, in their final state.
 */
export async function fillMessages(db: pg.Client, count: number): Promise<FilledMessages> {
  const { rows } = await db.query<{ id: string }>(`SELECT id FROM account WHERE name = 'Demo'`);
  const accountId = rows[0]?.id ?? '';
  await db.query('SET synchronous_commit = off');
  const indexes = await dropIndexes(db);
  const bulks = Math.max(1, Math.round((count * 0.4) / BULK));
  const singles = count - bulks * BULK;
  await db.query(SINGLES, [singles, accountId]);
  await db.query(BULKS, [singles, accountId, bulks, BULK]);
  await db.query(MESSAGES_OF_SUBMISSIONS);
  for (const definition of indexes) await db.query(definition);
  await db.query('VACUUM ANALYZE submission');
  await db.query('VACUUM ANALYZE message');
  const random = (below: number): number => Math.floor(Math.random() * below);
  const time = (): Date => new Date(FIRST_AT + random(singles) * STEP_MS);
  return {
    accountId,
    searches: {
      nothing: () => ({}),
      'a day of the past': () => ({ to: time().toISOString() }),
      'a recipient': () => ({ recipient: String(919_800_000_000 + random(NUMBERS)) }),
      'a recipient of thousands': () => ({ recipient: '919700000000' }),
      'a recipient and Failed': () => ({ recipient: '919700000000', status: 'Failed' }),
      'an errCode': () => ({ errCode: '001', to: time().toISOString() }),
      Failed: () => ({ status: 'Failed', to: time().toISOString() }),
      Delivered: () => ({ status: 'Delivered', to: time().toISOString() }),
      'Sent, which is rare': () => ({ status: 'Sent', to: time().toISOString() }),
      'Pending, which there is none of': () => ({ status: 'Pending', to: time().toISOString() }),
      'a campaign': () => ({ campaignName: `campaign ${random(CAMPAIGNS)}` }),
      'a campaign and Failed': () => ({ campaignName: `campaign ${random(CAMPAIGNS)}`, status: 'Failed' }),
      'a reference': () => ({ clientRef: `order ${random(singles)}` }),
      'a sender that is rare': () => ({ sender: 'RARE' }),
      'a sender and a time': () => ({
        sender: 'SIGNALBX',
        from: new Date(FIRST_AT).toISOString(),
        to: time().toISOString(),
      }),
    },
  };
}

/** Drops the indexes: inserts are many times faster without them. @returns the statements that create them again */
async function dropIndexes(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid IN ('submission'::regclass, 'message'::regclass) AND NOT indisprimary`,
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

const MS = (step: string): string => `(${FIRST_AT} + ${step} * ${STEP_MS}::bigint)`;
/** The UUIDv7 of a step after FIRST_AT. */
const ID = (step: string, kind: 'single' | 'bulk'): string =>
  `(lpad(to_hex(${MS(step)}), 12, '0') || '${kind === 'single' ? '7000' : '7001'}8000' || lpad(to_hex(${step}), 12, '0'))::uuid`;
const AT = (step: string): string => `to_timestamp(${MS(step)} / 1000.0)`;
const COLUMNS = `id, account_id, channel, kind, lane, sender, content, recipients, credits, campaign, client_ref, accepted_at, fanned_upto, fanned_out_at`;

const SINGLES = `
  INSERT INTO submission (${COLUMNS})
  SELECT ${ID('i', 'single')}, CASE WHEN i % 3 < 2 THEN $2::uuid ELSE lpad(to_hex(i % 50), 32, '0')::uuid END, 'sms', 'text', 'TRANS',
         CASE WHEN i % 500000 = 0 THEN 'RARE' ELSE 'SIGNALBX' END, '{"text": "Your order has shipped.", "unicode": false, "flash": false}',
         ARRAY[CASE WHEN i % 100 = 0 THEN '919700000000' ELSE (919800000000 + i * 7919 % ${NUMBERS})::text END], 1, NULL, 'order ' || i,
         ${AT('i')}, 1, ${AT('i')}
    FROM generate_series(0, $1::bigint - 1) AS i`;

const BULKS = `
  INSERT INTO submission (${COLUMNS})
  SELECT ${ID('at', 'bulk')}, $2::uuid, 'sms', 'text', 'PROMO', 'SIGNALBX', '{"text": "Sale!", "unicode": false, "flash": false}',
         ARRAY(SELECT (919800000000 + (k * 104729 + n * 7919) % ${NUMBERS})::text FROM generate_series(1, $4::bigint) AS n), 1,
         'campaign ' || k % ${CAMPAIGNS}, NULL, ${AT('at')}, $4, ${AT('at')}
    FROM (SELECT k, k * $1::bigint / $3::bigint AS at FROM generate_series(0, $3::bigint - 1) AS k) AS bulk`;

const MESSAGES_OF_SUBMISSIONS = `
  INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, err_code, status_description, sent_at, delivered_at, failed_at)
  SELECT s.id, r.n, s.account_id, r.recipient, CASE WHEN h < 10 THEN 'FAILED' WHEN h < 12 THEN 'READ' WHEN h < 13 THEN 'SENT' ELSE 'DELIVERED' END,
         1, s.accepted_at, 'simulator', CASE WHEN h < 3 THEN '001' WHEN h < 10 THEN '002' ELSE '000' END, 'A report', s.accepted_at, s.accepted_at,
         CASE WHEN h < 10 THEN s.accepted_at END
    FROM submission s, unnest(s.recipients) WITH ORDINALITY AS r(recipient, n), LATERAL (SELECT abs(hashtext(r.recipient || s.id)) % 1000 AS h) AS x
   ORDER BY s.id`;
