import type pg from 'pg';
import { RECIPIENT_OF_ROW as RECIPIENT } from './recipients.ts';

/** Messages of the history are a second apart in the past, ten days before now and earlier. */
const AGE_DAYS = 10;
const PER_MS = 20;

/** Tables that a message of the history has a row in, those of an earlier schema included. */
const TABLES = ['submission', 'message', 'message_event', 'push', 'message_recipient'] as const;

/** Open messages were sent within half an hour, and long enough ago that the statistics have counted them a last time. */
const OPEN_MINUTES = 30;
const OPEN_UNTIL_MINUTES = 20;

/**
 * Fill factor of pages of finished messages. In the pipeline, rows grow after they are inserted, so a page ends up
 * fuller than the fill factor of its table. Finished rows inserted at that fill factor would leave room for one new row
 * in every page, and each new message would go to a different old page.
 */
const FINISHED_PERCENT = 50;

/**
 * Brings the finished SMS of the history up to a count. Postgres makes the rows: each message has its submission, its
 * report and its push, as the pipeline leaves them.
 */
export async function fillHistory(db: pg.Client, count: number): Promise<void> {
  const from = await countHistory(db);
  if (count <= from) return;
  const tables = await tablesOf(db);
  const indexes = await dropIndexes(db, tables);
  await db.query('SET synchronous_commit = off');
  await db.query(SUBMISSIONS, [from, count]);
  await whilePagesAreFinished(db, () => db.query(MESSAGES, [from, count]));
  await db.query(EVENTS, [from, count]);
  await db.query(PUSHES, [from, count]);
  if (tables.includes('message_recipient')) await db.query(RECIPIENTS, [from, count]);
  for (const definition of indexes) await db.query(definition);
  await settle(db, tables);
}

/** Adds messages that were sent within half an hour, wait for their reports, and are not asked about during the run. */
export async function fillOpen(db: pg.Client, count: number): Promise<void> {
  const tables = await tablesOf(db);
  await whilePagesAreFinished(db, () => db.query(OPEN_MESSAGES, [count]));
  await settle(db, tables);
}

/** Stores messages as densely as they are once they are finished. */
async function whilePagesAreFinished(db: pg.Client, store: () => Promise<unknown>): Promise<void> {
  const { rows } = await db.query<{ percent: string }>(
    `SELECT option_value AS percent
       FROM pg_class, pg_options_to_table(reloptions)
      WHERE oid = 'message'::regclass
        AND option_name = 'fillfactor'`,
  );
  await db.query(`ALTER TABLE message SET (fillfactor = ${FINISHED_PERCENT})`);
  await store();
  await db.query(
    rows[0]
      ? `ALTER TABLE message SET (fillfactor = ${rows[0].percent})`
      : `ALTER TABLE message RESET (fillfactor)`,
  );
}

async function countHistory(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM submission WHERE client_ref = 'history'`,
  );
  return rows[0]?.count ?? 0;
}

async function tablesOf(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY ($1) AND pg_table_is_visible(oid)`,
    [TABLES],
  );
  return rows.map(({ name }) => name);
}

/** Drops the indexes: inserts are many times faster without them. @returns the statements that create them again */
async function dropIndexes(db: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid = ANY ($1::regclass[]) AND NOT indisprimary`,
    [tables],
  );
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  // of a partitioned table the definition is that of an index without those of the partitions
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

async function settle(db: pg.Client, tables: string[]): Promise<void> {
  for (const table of tables) await db.query(`VACUUM ANALYZE ${table}`);
  await db.query('CHECKPOINT');
}

const FIRST_AT = Date.now() - AGE_DAYS * 86_400_000;
const MS = `${FIRST_AT} - i / ${PER_MS}`;
/** A UUIDv7 of the row's time; the last digits tell the rows of a millisecond apart. */
const ID = (kind: string): string =>
  `(lpad(to_hex((${MS})::bigint), 12, '0') || '7${kind}8000' || lpad(to_hex(i), 12, '0'))::uuid`;
const AT = `to_timestamp((${MS}) / 1000.0)`;
const ACCOUNT = `(SELECT id FROM account WHERE name = 'Demo')`;
const ROWS = 'generate_series($1::bigint, $2::bigint - 1) AS i';

const SUBMISSIONS = `
  INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, client_ref, accepted_at, fanned_upto, fanned_out_at, listed)
  SELECT ${ID('000')}, ${ACCOUNT}, 'sms', 'text', 'TRANS', 'SIGNALBX', '{"text": "Your order has shipped.", "unicode": false, "flash": false}',
         ARRAY[${RECIPIENT}], 1, 'history', ${AT}, 1, ${AT}, true
    FROM ${ROWS}`;

const MESSAGES = `
  INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, err_code, status_description, sent_at, delivered_at, moved_by, due_at)
  SELECT ${ID('000')}, 1, ${ACCOUNT}, ${RECIPIENT}, 'DELIVERED', 1, ${AT}, 'simulator', '000', 'Message delivered', ${AT}, ${AT}, ARRAY[${ID('001')}], NULL
    FROM ${ROWS}`;

const EVENTS = `
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, received_at, settled_at, due_at)
  SELECT ${ID('001')}, 'simulator', ${ID('000')}, 1, 'DELIVERED', '000', 'Message delivered', ${AT}, ${AT}, ${AT}, NULL
    FROM ${ROWS}`;

const PUSHES = `
  INSERT INTO push (report_id, webhook_id, account_id, status, attempts, response_status, duration_ms, created_at, finished_at)
  SELECT ${ID('001')}, w.id, w.account_id, 'DELIVERED', 1, 200, 2, ${AT}, ${AT}
    FROM ${ROWS}, (SELECT id, account_id FROM webhook ORDER BY id LIMIT 1) AS w`;

const RECIPIENTS = `
  INSERT INTO message_recipient (account_id, recipient, submission_id, n)
  SELECT ${ACCOUNT}, ${RECIPIENT}, ${ID('000')}, 1
    FROM ${ROWS}`;

/** From the oldest to the newest. */
const OPEN_AGE = `make_interval(secs => 60 * (${OPEN_UNTIL_MINUTES} + ${OPEN_MINUTES} * (1 - i / $1::float8)))`;

const OPEN_MESSAGES = `
  WITH stored AS (
    INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, client_ref, accepted_at, fanned_upto, fanned_out_at, listed)
    SELECT uuidv7(-${OPEN_AGE}), ${ACCOUNT}, 'sms', 'text', 'TRANS', 'SIGNALBX', '{"text": "Your order has shipped.", "unicode": false, "flash": false}',
           ARRAY[${RECIPIENT}], 1, 'open', now() - ${OPEN_AGE}, 1, now() - ${OPEN_AGE}, true
      FROM generate_series(1, $1::bigint) AS i
    RETURNING id, account_id, recipients[1] AS recipient, accepted_at
  )
  INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, lane, sent_at, asks, due_at)
  SELECT id, 1, account_id, recipient, 'SENT', 1, accepted_at, 'simulator', 'TRANS', accepted_at, 'simulator', now() + interval '1 day'
    FROM stored`;
