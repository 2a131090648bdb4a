import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeServerFolder } from '@signalbox/test/server-folder';
import { removePostgresData } from './postgres-home.ts';
import { freePort } from './ports.ts';
import { startPostgres } from './postgres.ts';

const testAsRoot = process.getuid?.() === 0 ? test : test.skip;
/** A user without an entry in /etc/passwd. */
const OWNER = 54_321;

test('only its owner may read the log and the data of a Postgres', async () => {
  using t = setup();
  const log = join(t.dir, 'postgres.log');
  writeFileSync(log, '');
  chmodSync(log, 0o644);

  const data = await t.start();

  expect(statSync(log).mode & 0o777).toBe(0o600);
  expect(statSync(data).mode & 0o777).toBe(0o700);
});

test('a password that is not that of the data is refused immediately, with its file', async () => {
  using t = setup();
  await t.start();
  const file = join(t.dir, 'postgres.password');
  writeFileSync(file, 'another');

  await expect(t.start()).rejects.toThrow(
    `the file ${file} does not hold the password of the database. Restore it from a backup.`,
  );
});

testAsRoot('root runs the Postgres of data that another user made as that user', async () => {
  using t = setup();
  const data = await t.start();
  execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, data]);

  await t.start();

  expect(statSync(join(data, 'pg_stat')).uid).toBe(OWNER);
});

function setup() {
  const dir = makeServerFolder('signalbox-postgres-');
  /** Starts and stops it, and returns the folder of its data. */
  const start = async (): Promise<string> => {
    await using postgres = await startPostgres({ dir, port: await freePort() });
    return postgres.data;
  };
  const dispose = (): void => {
    removePostgresData(dir);
    rmSync(dir, { recursive: true });
  };
  return { dir, start, [Symbol.dispose]: dispose };
}
