import { expect, test } from '@jest/globals';
import { createDatabase, openQueries } from '@signalbox/test/database';
import { runCli } from '@signalbox/test/run-cli';

test('a migration whose database refuses the connection names the setting, and what to do', async () => {
  expect(await runCli('postgres://a:b@127.0.0.1:1/x', 'migrate')).toEqual({
    code: 1,
    output:
      'DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check its address, that it runs, and that this machine may reach it.\n',
  });
});

test('a migration by a user without the privilege says what to do', async () => {
  await using database = await createDatabase();
  const { hostname, port } = new URL(database.url);
  const role = `weak_${process.pid}`;
  await using admin = openQueries(database.url);
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`);
  try {
    const { code, output } = await runCli(
      `postgres://${role}:weak@${hostname}:${port}${new URL(database.url).pathname}`,
      'migrate',
    );

    expect(code).toBe(1);
    expect(output).toMatch(/^permission denied for .*\. The user of DATABASE_URL lacks a privilege: .*\n$/);
  } finally {
    await admin.query(`DROP ROLE ${role}`);
  }
});
