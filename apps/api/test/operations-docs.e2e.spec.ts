import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { smsScript } from '@signalbox/gateways/simulator/script';

const ROOT = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(`${ROOT}docs/operations.md`, 'utf8');

const rows = await openSharedRows();

/** Runs the SQL blocks of a section of the page unchanged. */
async function run(title: string): Promise<void> {
  const section = page.split('\n## ').find((each) => each.startsWith(`${title}\n`)) ?? '';
  const blocks = Array.from(section.matchAll(/```sql\n([^]*?)```/g), ([, sql]) => sql);
  expect(blocks.length).toBeGreaterThan(0);
  for (const sql of blocks) await rows.db.query(sql ?? '');
}

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
