import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { countParked } from '@signalbox/database/ops/rescue';
import { smsScript } from '@signalbox/gateways/simulator/script';
import { type TestRows, accept, newReport, openRows } from '@signalbox/test/rows';

const ROOT = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(`${ROOT}docs/operations.md`, 'utf8');

let rows: TestRows;

beforeAll(async () => {
  rows = await openRows();
});
afterAll(async () => rows[Symbol.asyncDispose]());
beforeEach(async () => {
  await rows.db.query('TRUNCATE submission, message, message_event, push, push_attempt, idempotency_key');
});

/** Runs the SQL blocks of a section of the page unchanged. */
async function run(title: string): Promise<void> {
  const section = page.split('\n## ').find((each) => each.startsWith(`${title}\n`)) ?? '';
  const blocks = Array.from(section.matchAll(/```sql\n([^]*?)```/g), ([, sql]) => sql);
  expect(blocks.length).toBeGreaterThan(0);
  for (const sql of blocks) await rows.db.query(sql ?? '');
}

/** Stores a message with a report and an unfinished push, accepted at the time of its id. */
async function store(id: string, reportId: string): Promise<void> {
  const { db } = rows;
  await accept(db, { id });
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until) VALUES ($1, 1, $1, '1', 'PENDING', 1, now())`,
    [id],
  );
  const { gateway, status, errCode, description } = newReport(id);
  await db.query(
    `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at) VALUES ($1, $2, $3, 1, $4, $5, $6, now())`,
    [reportId, gateway, id, status, errCode, description],
  );
  await db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, next_attempt_at) VALUES ($1, $1, $1, 'WAITING', 2, now())`,
    [reportId],
  );
  await db.query(
    `INSERT INTO push_attempt (id, report_id, webhook_id, account_id, attempt, error, answer, duration_ms, attempted_at) VALUES ($1, $1, $1, $1, 1, 'x', '', 1, now())`,
    [reportId],
  );
}

async function storeParkedTemplate(db: TestRows['db']): Promise<void> {
  await db.query(`INSERT INTO account (id, name) VALUES (uuidv7(), 'x')`);
  await db.query(`INSERT INTO chat_account (account_id, name) SELECT id, 'x' FROM account`);
  await db.query(
    `INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at, starts, created_at, updated_at)
     SELECT uuidv7(), account_id, id, 'x', 'en', 'PENDING', 'UTILITY', 1, now(), 10, now(), now() FROM chat_account`,
  );
}

const OLD = '01900000-0000-7000-8000-00000000000';

test('the statements for parked rows release all of them', async () => {
  const { db } = rows;
  await store(`${OLD}1`, `${OLD}2`);
  await db.query("UPDATE message SET starts = 10, lane = 'TRANS', due_at = 'infinity'");
  await db.query("UPDATE message_event SET starts = 10, due_at = 'infinity'");
  await storeParkedTemplate(db);
  await db.query(
    `INSERT INTO callback (id, gateway, body, starts) VALUES (uuidv7(), 'chat-simulator', '', 10)`,
  );
  await db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at, starts)
     VALUES (uuidv7(), uuidv7(), uuidv7(), uuidv7(), '919800000100', '91', false, 5, now() + interval '5 minutes', 10)`,
  );
  expect(await countParked(db)).toEqual({
    message: 1,
    message_event: 1,
    template: 1,
    callback: 1,
    verification: 1,
  });

  await run('Parked rows');

  expect(await countParked(db)).toEqual({
    message: 0,
    message_event: 0,
    template: 0,
    callback: 0,
    verification: 0,
  });
});

test('the statements about the pace of accounts are valid', async () => {
  await expect(run('Pace and quiet hours')).resolves.toBeUndefined();
});

test('the statements about callbacks are valid', async () => {
  await expect(run('Callbacks')).resolves.toBeUndefined();
});

test('docs/privacy.md names every table that holds numbers, texts or people', () => {
  const schema = readFileSync(`${ROOT}libs/database/schema.sql`, 'utf8');
  const privacy = readFileSync(`${ROOT}docs/privacy.md`, 'utf8');
  const personal =
    /^  (recipients?|body|content|custom|address|email|user_agent|sealed|sealed_text|sealed_answer|answer|request_headers) /m;
  const tables = [...schema.matchAll(/^CREATE TABLE (\w+) \(\n([^;]*?)^\)/gm)];

  const holding = tables.filter(([, , columns = '']) => personal.test(columns)).map(([, name = '']) => name);

  expect(holding.length).toBeGreaterThan(15);
  expect(holding.filter((name) => !privacy.includes(`\`${name}\``))).toEqual([]);
});

test('the page names exactly our metrics', () => {
  const sources = globSync('{apps,libs}/*/src/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.endsWith('.spec.ts'),
  );
  const metrics = sources.flatMap(
    (path) => readFileSync(ROOT + path, 'utf8').match(/(?<=name: ')signalbox_\w+/g) ?? [],
  );

  expect(new Set(page.match(/signalbox_\w+/g))).toEqual(new Set(metrics));
});

test('the page lists exactly the scripts of the simulator', () => {
  const documented = Array.from(
    readFileSync(`${ROOT}docs/simulator.md`, 'utf8').matchAll(/^\| `(\d{4})` \|/gm),
    ([, digits]) => digits,
  );
  const scripted = Array.from({ length: 10_000 }, (_, i) => String(i).padStart(4, '0')).filter(
    (digits) => smsScript(digits) !== smsScript('1234'),
  );

  expect(documented).toEqual(scripted);
});
