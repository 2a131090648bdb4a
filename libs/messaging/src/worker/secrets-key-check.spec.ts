import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer, type SecretKeys } from '@signalbox/runtime/seal';
import { DataSource } from 'typeorm';
import { SecretsKeyCheck } from './secrets-key-check.ts';

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
  string,
];
const REFUSAL = /^SECRETS_KEY is not the key/;
let database: TestDatabase;
let source: DataSource;

beforeAll(async () => {
  database = await createDatabase();
  source = await new DataSource({ type: 'postgres', url: database.url, poolSize: 4 }).initialize();
});
beforeEach(async () => {
  await source.query('DELETE FROM secrets_key');
});
afterAll(async () => {
  await source.destroy();
  await database[Symbol.asyncDispose]();
});

const start = (...keys: SecretKeys): Promise<void> =>
  new SecretsKeyCheck(source.manager, new Sealer(...keys), createLogger('test', 'silent')).onModuleInit();

test('the first key of a database is accepted, and no other', async () => {
  await start(FIRST);
  await start(FIRST);

  await expect(start(SECOND)).rejects.toThrow(REFUSAL);
  await expect(start(SECOND, THIRD)).rejects.toThrow(REFUSAL);
});

test('a key that replaces a known one is accepted with it, and alone afterwards', async () => {
  await start(FIRST);
  await start(SECOND, FIRST);

  await expect(start(SECOND)).resolves.toBeUndefined();
  await expect(start(FIRST)).resolves.toBeUndefined();
});

test('of two processes that start with different keys, one is refused', async () => {
  const outcomes = await Promise.allSettled([start(FIRST), start(SECOND)]);

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});
