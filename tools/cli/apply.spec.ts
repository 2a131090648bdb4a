import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { apply } from './apply.ts';

const EXAMPLE = new URL('../../examples/gateways.yml', import.meta.url).pathname;
const before = { ...process.env };
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  process.env['SECRETS_KEY'] = Buffer.alloc(32).toString('base64');
});
afterAll(async () => {
  process.env = before;
  await database[Symbol.asyncDispose]();
});

test('a file is applied once, and says what it changed', async () => {
  expect(await apply([EXAMPLE])).toBe('created: first, second, codes, default');
  expect(await apply([EXAMPLE])).toBe('Nothing changed.');
});

test('a missing file, and what is missing from the environment, are named', async () => {
  await expect(apply([])).rejects.toThrow('Name a file, or set GATEWAYS_FILE.');
  await expect(apply(['a', 'b'])).rejects.toThrow('apply takes one file.');
  await expect(apply(['nowhere.yml'])).rejects.toThrow('nowhere.yml');
});
