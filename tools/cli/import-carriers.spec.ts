import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { runCli } from '@signalbox/test/run-cli';
import { Client } from 'pg';

const HEADER = 'prefix,operator,circle\n';

test('a file of two prefixes replaces the table', async () => {
  await using t = await setup();

  const { code, output } = await t.importFile(`${HEADER}91,Airline,Delhi\n9198,"Bell, South",\n`);

  expect(output).toBe('2 prefixes were imported. They are in use everywhere within a minute.\n');
  expect(code).toBe(0);
  expect(await t.countPrefixes()).toBe(2);
});

test('a file of 200,000 prefixes is read to its end', async () => {
  await using t = await setup();
  const lines = Array.from({ length: 200_000 }, (_, i) => `${1_000_000 + i},Carrier ${i % 7},Circle\n`);

  const { output } = await t.importFile(HEADER + lines.join(''));

  expect(output).toMatch(/^200000 prefixes were imported/);
  expect(await t.countPrefixes()).toBe(200_000);
});

test('a file with a bad line changes nothing and names the line', async () => {
  await using t = await setup();
  await t.importFile(`${HEADER}91,Airline,Delhi\n`);

  const { code, output } = await t.importFile(`${HEADER}91,Airline\n44,Other,\n`);

  expect(output).toBe('Nothing was imported.\nline 2: must have three cells: prefix, operator and circle\n');
  expect(code).toBe(1);
  expect(await t.countPrefixes()).toBe(1);
});

test('a file that does not exist is named', async () => {
  await using t = await setup();

  expect(await t.run(['/no/such.csv'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no file /no/such.csv'),
  });
});

async function setup() {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createDatabase());
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-carriers-'));
  started.defer(() => rmSync(dir, { recursive: true }));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  started.defer(() => client.end());
  const run = (args: string[]) => runCli(database.url, 'import-carriers', ...args);
  const importFile = (csv: string) => {
    writeFileSync(join(dir, 'carriers.csv'), csv);
    return run([join(dir, 'carriers.csv')]);
  };
  const countPrefixes = async () => {
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int FROM carrier_prefix');
    return rows[0]?.count;
  };
  const all = started.move();
  return { run, importFile, countPrefixes, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
