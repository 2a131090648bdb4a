import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { newChat, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { insertSubmissions } from '../submissions/submissions.ts';
import { deletedBefore } from './deleted.ts';
import { deleteOldest } from './retention.ts';

const TABLES = [
  'webhook',
  'endpoint',
  'push_replay',
  'template',
  'template_version',
  'template_event',
  'verification_config',
  'chat_account',
  'callback',
  'verification_stat',
  'chat_pair',
];

async function count(db: EntityManager): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row]: { n: number }[] = await db.query(`SELECT count(*)::integer AS n FROM ${table}`);
    counts[table] = row!.n;
  }
  return counts;
}

/** One of each thing of an account, deleted or ended some days ago. The account's id is also the id of each. */
async function addDeleted(db: EntityManager, daysAgo: number): Promise<string> {
  const [id, at] = [randomUUIDv7(), new Date(Date.now() - daysAgo * 86_400_000)];
  const filled = (statement: string): string =>
    statement
      .replaceAll(':id', `'${id}'`)
      .replaceAll(':old', `'${idAt(at)}'`)
      .replaceAll(':at', `'${at.toISOString()}'`);
  for (const statement of ROWS) await db.query(filled(statement));
  return id;
}

const ROWS = [
  `INSERT INTO account (id, name) VALUES (:id, :id)`,
  `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret,
                        disabled_at, deleted_at)
   VALUES (:id, :id, 'n', 'sms', 'any', 'POST', 'http://x', '[]', '{}', 4, '', :at, :at)`,
  `INSERT INTO endpoint (webhook_id) VALUES (:id)`,
  `INSERT INTO push_replay (id, account_id, webhook_id, status, statuses, from_at, to_at, after_id, upto_id, rate_per_second, total,
                            finished_at)
   VALUES (:id, :id, :id, 'DONE', '{}', :at, :at, :id, :id, 1, 0, :at)`,
  `INSERT INTO chat_account (account_id, name, deleted_at) VALUES (:id, 'n', :at)`,
  `INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at, created_at,
                         updated_at, deleted_at)
   SELECT :id, :id, id, 'n', 'en', 'PENDING', 'UTILITY', 1, :at, :at, :at, :at FROM chat_account WHERE account_id = :id`,
  `INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change, created_at)
   VALUES (:id, 1, :id, 'UTILITY', '[{"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["h"]}}]', false, :at)`,
  `INSERT INTO template_event (id, template_id, account_id, version, event, actor, created_at)
   VALUES (:id, :id, :id, 1, 'created', 'x', :at)`,
  `INSERT INTO verification_stat (account_id, day, config_id, country, sent, verified)
   VALUES (:id, :at::timestamptz::date - 310, :id, 'IN', 1, 1)`,
  `INSERT INTO verification_config (id, account_id, name, enabled, code_length, alphabet, ttl_seconds, max_attempts,
                                    resend_after_seconds, max_sends_per_10_minutes, max_sends_per_day, sender, text, test_numbers,
                                    created_at, updated_at, deleted_at, flow, stop_on)
   VALUES (:id, :id, 'n', true, 6, 'numeric', 300, 3, 30, 3, 10, 'S', 't', '[]', :at, :at, :at,
           '[{"channel": "sms", "afterSeconds": 0}]', 'verified')`,
  `INSERT INTO callback (id, gateway, body, starts) VALUES (:old, 'g', '', 10)`,
  `INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient, kind, content, sent_at)
   VALUES (:old, :id, 1, 'g', :id, '919800000100', '15550100001', 'text', '{}', :at)`,
  `INSERT INTO chat_pair (account_id, sender, recipient, last_inbound_at) VALUES (:id, '15550100001', '919800000100', :at)`,
];

/** Stores a file that the templates of an account show. */
const addFile = (db: EntityManager, accountId: string): Promise<unknown> =>
  db.query(
    `INSERT INTO media (id, account_id, handle, expires_at, used_at) VALUES ($1, $1, 'h', now() + interval '1 day', now())`,
    [accountId],
  );

function idAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${randomUUIDv7().slice(-12)}`;
}

const each = (n: number): Record<string, number> => Object.fromEntries(TABLES.map((table) => [table, n]));

test('what was deleted, or ended, before the days to keep leaves no row behind', async () => {
  await using rows = await openRows();
  await addFile(rows.db, await addDeleted(rows.db, 91));
  await addDeleted(rows.db, 89);

  while ((await deleteOldest(rows.db, 90)) > 0);

  expect(await count(rows.db)).toEqual(each(1));
  expect(await rows.db.query(`SELECT used_at FROM media WHERE expires_at <= now()`)).toEqual([
    { used_at: null },
  ]);
});

test('a deleted template stays while a message waits that names it', async () => {
  await using rows = await openRows();
  const accountId = await addDeleted(rows.db, 91);
  const content = { template: { id: accountId, version: 1 } } as never;
  await insertSubmissions(rows.db, [newChat({ accountId, content })]);

  await deleteOldest(rows.db, 90);

  expect(await count(rows.db)).toMatchObject({ template: 1, template_version: 1, chat_account: 1 });
});

test('waiting messages and other templates are read once for all deleted templates', async () => {
  await using rows = await openRows();
  const accountId = await addDeleted(rows.db, 89);
  const template = (name: string, days: number) => `
    INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at,
                          created_at, updated_at, deleted_at)
    SELECT uuidv7(), $1, (SELECT id FROM chat_account), '${name}_' || n, 'en', 'PENDING', 'UTILITY', 1, now(), now(), now(),
           now() - interval '${days} days'
      FROM generate_series(1, 200) AS n`;
  await rows.db.query(template('gone', 91), [accountId]);
  await rows.db.query(template('kept', 1), [accountId]);
  await rows.db.query(
    `INSERT INTO template_version (template_id, version, account_id, category, components, allow_category_change, created_at)
     SELECT id, 1, account_id, 'UTILITY', jsonb_build_array(jsonb_build_object('example', jsonb_build_object(
              'header_handle', jsonb_build_array(CASE name WHEN 'kept_1' THEN 'gone_1' ELSE name END)))), false, now()
       FROM template
      WHERE id <> account_id`,
  );
  await rows.db.query(
    `INSERT INTO media (id, account_id, handle, expires_at, used_at)
     SELECT id, account_id, name, now() + interval '1 day', now() FROM template WHERE id <> account_id`,
  );
  await rows.db.query(
    `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, due_at, waits)
     SELECT uuidv7(), $1, 'chatapp', 'template', 'CHAT', '15550100001', '{}', '{919800000100}', 1, now(), true
       FROM generate_series(1, 2000)`,
    [accountId],
  );
  await rows.db.query('VACUUM ANALYZE template, template_version, media, submission');

  expect(await countPages(rows.db, (counted) => deleteFrom(counted, 'template', 90))).toBeLessThan(6_000);
  expect(
    await rows.db.query(`SELECT handle FROM media WHERE used_at IS NOT NULL AND handle LIKE 'gone%'`),
  ).toEqual([{ handle: 'gone_1' }]);
});

test('templates are read once for all deleted chat accounts, and only if there are some', async () => {
  await using rows = await openRows();
  const accountId = await addDeleted(rows.db, 89);
  await rows.db.query(
    `INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at,
                          created_at, updated_at)
     SELECT uuidv7(), $1, id, 'kept_' || n, 'en', 'PENDING', 'UTILITY', 1, now(), now(), now()
       FROM chat_account, generate_series(1, 5000) AS n`,
    [accountId],
  );
  await rows.db.query('VACUUM ANALYZE template');
  const run = (db: EntityManager) => deleteFrom(db, 'chat_account', 90);
  expect(await countPages(rows.db, run)).toBeLessThan(20);
  await rows.db.query(
    `INSERT INTO chat_account (account_id, name, deleted_at)
     SELECT $1, 'gone ' || n, now() - interval '91 days' FROM generate_series(1, 100) AS n`,
    [accountId],
  );

  expect(await countPages(rows.db, run)).toBeLessThan(2_000);
  expect(await rows.db.query('SELECT name FROM chat_account')).toEqual([{ name: 'n' }]);
});

/** Deletes what is old in a table. */
function deleteFrom(db: EntityManager, table: string, days: number): Promise<unknown> {
  return db.query(deletedBefore('now() - make_interval(days => $1)')[table]!, [days, 1_000]);
}
