import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inTransaction } from '@signalbox/database/core/in-transaction';
import { hashApiKey } from '@signalbox/domain/api-key';
import { hashToken } from '@signalbox/domain/session';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { createUser } from './create-user.ts';

const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA';
const before = { ...process.env };
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  process.env['SIGNALBOX_URL'] = 'https://sgnl.example/';
});
afterAll(async () => {
  process.env = before;
  await database[Symbol.asyncDispose]();
});

const rows = (sql: string, values: unknown[]): Promise<object[]> =>
  inTransaction(database.url, 'test', (db) => db.query(sql, values));

test('a user is created in an account, with a link whose hash is stored', async () => {
  await createAccount.run(['Shop']);

  const link = await createUser.run(['Ana@Shop.example', '--account', 'Shop', '--role', 'editor']);

  const [, token = ''] = /^https:\/\/sgnl\.example\/app\/#token=([A-Za-z0-9_-]{43})$/.exec(link) ?? [];
  const stored = `SELECT u.email, ua.role FROM sign_in_link l JOIN app_user u ON u.id = l.user_id
                    JOIN user_account ua ON ua.user_id = u.id WHERE l.hash = $1`;
  expect(await rows(stored, [hashToken(token)])).toEqual([{ email: 'ana@shop.example', role: 'editor' }]);
});

test.each([
  ['an operator', ['--account', 'Shop', '--role', 'operator']],
  ['a user of another account', ['--account', 'Firm']],
])('a user who becomes %s must set another password', async (_name, rights) => {
  await createAccount.run(['Firm']);
  const email = `${rights.length}@shop.example`;
  const passwordOf = `SELECT password_hash AS hash FROM app_user WHERE email = $1`;
  await createUser.run([email, '--account', 'Shop']);
  await rows(`UPDATE app_user SET password_hash = $2 WHERE email = $1`, [email, HASH]);

  await createUser.run([email, '--account', 'Shop', '--role', 'viewer']);
  expect(await rows(passwordOf, [email])).toEqual([{ hash: HASH }]);
  await createUser.run([email, ...rights]);

  expect(await rows(passwordOf, [email])).toEqual([{ hash: null }]);
});

test('wrong arguments are refused', async () => {
  await expect(createUser.run(['ana', '--account', 'Shop'])).rejects.toThrow('e-mail');
  await expect(createUser.run(['ana@shop.example'])).rejects.toThrow('--account');
  await expect(createUser.run(['ana@shop.example', '--account', 'Shop', '--role', 'root'])).rejects.toThrow(
    'role',
  );
  await expect(createUser.run(['ana@shop.example', '--account', 'Nowhere'])).rejects.toThrow('no account');
  await expect(createKey.run(['Shop', '--scopes', 'root'])).rejects.toThrow('no scope');
  await expect(createKey.run(['Shop', '--expires', 'soon'])).rejects.toThrow('--expires');
});

test('a key has the scopes, the name and the end that were given', async () => {
  const key = await createKey.run([
    'Shop',
    '--scopes',
    'send,verify',
    '--name',
    'Server',
    '--expires',
    '2099-01-01T00:00:00Z',
  ]);

  const stored = `SELECT name, scopes, expires_at AS "expiresAt" FROM api_key WHERE hash = $1`;
  expect(await rows(stored, [hashApiKey(key)])).toEqual([
    { name: 'Server', scopes: ['send', 'verify'], expiresAt: new Date('2099-01-01T00:00:00Z') },
  ]);
});
