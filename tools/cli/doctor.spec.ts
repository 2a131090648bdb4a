import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type TestDatabase, createDatabase } from '@signalbox/test/database';
import { startRedis, testWithRedis } from '@signalbox/test/redis';
import { Redis } from 'ioredis';
import { startS3 } from '../../libs/gateways/test/s3-server.ts';
import { DataSource } from 'typeorm';
import { freePort } from '../servers/ports.ts';
import { doctor } from './doctor.ts';

const KEY = Buffer.alloc(32).toString('base64');
const before = { ...process.env };
let database: TestDatabase;
let db: DataSource;

beforeAll(async () => {
  database = await createDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
beforeEach(() => {
  process.env = { ...before, DATABASE_URL: database.url, QUEUE_URL: database.url, SECRETS_KEY: KEY };
});
afterAll(async () => {
  process.env = before;
  await db.destroy();
  await database[Symbol.asyncDispose]();
});

/** The findings of a part, as `level part text`. */
async function examine(part: string): Promise<string[]> {
  const report = await doctor.run([]).catch((error: Error) => error.message);
  return report
    .split('\n')
    .filter((line) => line.split(/ +/)[1] === part)
    .map((line) => line.replaceAll(/ +/g, ' '));
}

/** Shows the Postgres of the tests, which loses data in a crash, as one that does not. */
async function showDurable(): Promise<void> {
  await db.query(
    `CREATE OR REPLACE VIEW public.pg_settings AS
     SELECT name, CASE WHEN name IN ('fsync', 'full_page_writes') THEN 'on' ELSE setting END AS setting
       FROM pg_catalog.pg_settings`,
  );
  await db.query(
    `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END$$`,
  );
}

test('the report begins with the version', async () => {
  const report = await doctor.run([]).catch((error: Error) => error.message);

  expect(report).toMatch(/^Signalbox \d+\.\d+\.\d+\n\n/);
});

test('settings of Postgres that lose messages in a crash are problems', async () => {
  expect(await examine('postgres')).toEqual([
    'problem postgres fsync is off: a crash of the machine loses accepted messages. Set fsync = on.',
    'problem postgres full_page_writes is off: a crash of the machine loses accepted messages. Set full_page_writes = on.',
  ]);
});

test('a migrated database without gateways is fine, and says where messages go', async () => {
  await showDurable();

  const report = await doctor.run([]);

  expect(report).toContain('ok       schema    The database has the schema of this version.');
  expect(report).toContain('warning  gateways  No gateway is configured: messages go to the simulator.');
  expect(report).toMatch(/\n0 problems, \d warnings?\.$/);
});

test('a pending migration is named', async () => {
  const [{ name }] = await db
    .query(`DELETE FROM migration WHERE id = (SELECT max(id) FROM migration) RETURNING name`)
    .then(([rows]: [[{ name: string }]]) => rows);
  try {
    expect(await examine('schema')).toEqual([
      `problem schema 1 migration is pending, ${name}. Run the command migrate.`,
    ]);
  } finally {
    await db.query('INSERT INTO migration (timestamp, name) VALUES (9999999999999, $1)', [name]);
  }
});

test('a Postgres that is too old is the one problem of its database', async () => {
  await showDurable();
  await db.query(
    `CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS
     $$SELECT CASE name WHEN 'server_version_num' THEN '170004' WHEN 'server_version' THEN '17.4'
                        ELSE pg_catalog.current_setting(name) END$$`,
  );
  try {
    expect(await examine('postgres')).toEqual([
      'problem postgres Postgres 17.4 is too old. Upgrade to Postgres 18 or newer.',
    ]);
    expect([await examine('schema'), await examine('gateways')]).toEqual([[], []]);
  } finally {
    await db.query('DROP FUNCTION public.current_setting');
  }
});

test('a gateway without a worker, and credentials under a lost key, are problems', async () => {
  await db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings, sealed_secrets, source, updated_at)
     VALUES (uuidv7(), 'first', 'sms', 'smpp', '{}', '\\xdeadbeef00000000', 'api', now() - interval '1 hour')`,
  );

  expect(await examine('gateways')).toEqual([
    'problem gateways first is unknown: No worker has shown the gateway in the last 10 seconds. Check that the sms-worker runs.',
  ]);
  expect(await examine('secrets')).toEqual([
    'problem secrets The secrets of 1 gateway were sealed with another key. Set SECRETS_KEY to it, or after a change of the key name it in SECRETS_KEYS_OLD.',
  ]);
});

test('a gateway that still connects is a problem after 15 seconds, or when an attempt failed', async () => {
  await db.query(
    `WITH late AS (
       INSERT INTO gateway (id, name, channel, kind, settings, source)
       VALUES (uuidv7(), 'late', 'sms', 'smpp', '{}', 'api')
       RETURNING id
     )
     INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
     SELECT id, uuidv7(), 'connecting', 'Connecting to smsc:2775.', now(), '{}' FROM late`,
  );
  const show = (since: string) =>
    db.query('UPDATE gateway_state SET seen_at = now(), since = now() - $1::interval', [since]);
  try {
    await show('1 second');
    expect(await examine('gateways')).toContainEqual(
      expect.stringMatching(
        /^warning gateways late has been connecting for \d+ seconds?: .* Run doctor again in/,
      ),
    );

    await db.query(`UPDATE gateway_state SET detail = '{"failing": true}'`);
    expect(await examine('gateways')).toContainEqual(
      'problem gateways late cannot connect: Connecting to smsc:2775.',
    );
    await db.query(`UPDATE gateway_state SET detail = '{}'`);

    await show('16 seconds');
    expect(await examine('gateways')).toContainEqual(
      expect.stringMatching(/^problem gateways late .* for \d+ seconds: Connecting to smsc:2775\.$/),
    );

    await db.query(
      `UPDATE gateway_state SET detail = '{"takes":"any"}', reason = 'Nothing has been sent yet.'`,
    );
    expect(await examine('gateways')).toContainEqual('warning gateways late: Nothing has been sent yet.');
  } finally {
    await db.query(`DELETE FROM gateway WHERE name = 'late'`);
  }
});

test('the command writes problems to stdout too, and ends with exit code 1', async () => {
  const port = await freePort(undefined, new Set());
  const env = { ...process.env, DATABASE_URL: `postgres://127.0.0.1:${port}/none`, NODE_OPTIONS: '' };

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'doctor'],
    { env, encoding: 'utf8' },
  );

  expect([status, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(
    /^problem +postgres +DATABASE_URL cannot be used: .*\n\n1 problem, \d warnings?\.\n$/ms,
  );
});

test('the key of another installation is a problem', async () => {
  await db.query(`INSERT INTO secrets_key (id) VALUES ('\\xdeadbeef')`);
  try {
    expect(await examine('secrets')).toEqual([
      expect.stringMatching(/^problem secrets SECRETS_KEY is not the key of this database/),
    ]);
  } finally {
    await db.query('DELETE FROM secrets_key');
  }
});

test('workers that do not run, and a role that does not own the tables, are named', async () => {
  await db.query(
    `INSERT INTO live_worker (fleet, id, seen_at) VALUES ('sms', uuidv7(), now() + interval '1 hour')`,
  );
  expect(await examine('workers')).toEqual([
    expect.stringMatching(/^warning workers No dlr-worker runs: reports are neither applied nor pushed\. /),
    expect.stringMatching(/^warning workers No otp-worker runs: codes are not generated\. /),
    expect.stringMatching(/^warning workers No chatapp-worker runs: /),
  ]);

  const role = `doctor_${randomBytes(6).toString('hex')}`;
  await db.query(`CREATE ROLE ${role} LOGIN PASSWORD 'of-the-test'`);
  await db.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  try {
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'of-the-test'];
    process.env['DATABASE_URL'] = url.href;
    expect(await examine('tables')).toEqual([
      expect.stringMatching(/^problem tables doctor_\w+ does not own \d+ tables, but \w+ does: /),
    ]);
  } finally {
    await db.query(`DROP OWNED BY ${role}`);
    await db.query(`DROP ROLE ${role}`);
  }
});

test('settings of a trial and an address that nobody reaches are warnings', async () => {
  Object.assign(process.env, { PUBLIC_URL: 'http://127.0.0.1:3000', SIMULATOR_INBOX: '1' });
  expect(await examine('public')).toEqual([
    expect.stringMatching(/^warning public PUBLIC_URL is http:\/\/127\.0\.0\.1:3000: /),
    expect.stringMatching(/^warning public SIMULATOR_INBOX is 1, which is for trials\./),
  ]);

  Object.assign(process.env, { PUBLIC_URL: 'https://sms.example.com', SIMULATOR_INBOX: '' });
  expect(await examine('public')).toEqual([
    expect.stringMatching(/^warning public TRUSTED_PROXIES is not set: /),
  ]);
});

test('a bucket that cannot be used is a problem with what to do', async () => {
  await using s3 = await startS3();
  process.env['MEDIA_S3_URL'] = s3.url;
  const place = new URL(s3.url).host;
  expect(await examine('media')).toEqual([`ok media Files can be stored in the bucket files at ${place}.`]);

  s3.isBroken = true;
  expect(await examine('media')).toEqual([
    `problem media MEDIA_S3_URL (the bucket files at ${place}) cannot be used: Access Denied. Let its key read, write and delete objects there.`,
  ]);

  await s3[Symbol.asyncDispose]();
  expect(await examine('media')).toEqual([expect.stringMatching(/ECONNREFUSED.* Check its address/)]);
});

testWithRedis('a Redis that may drop or refuse jobs is a problem', async () => {
  await using redis = await startRedis();
  process.env['QUEUE_URL'] = redis.url;
  const client = new Redis(redis.url);
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await client.config('SET', 'maxmemory', '1000');
  client.disconnect();

  expect(await examine('redis')).toEqual([
    'problem redis maxmemory-policy is allkeys-lru: Redis may drop jobs. Set maxmemory-policy noeviction.',
    'problem redis Redis is full and refuses jobs: work goes on slowly, from Postgres. Raise maxmemory.',
  ]);
});

test('servers that refuse the login, or have another name, are problems with what to do', async () => {
  const wrong = new URL(database.url);
  wrong.pathname = '/none';
  process.env['DATABASE_URL'] = wrong.href;
  expect(await examine('postgres')).toEqual([
    expect.stringMatching(/database "none" does not exist\. Create the database, or name the right one\.$/),
  ]);

  process.env['DATABASE_URL'] = 'postgres://signalbox:secret@none.invalid/signalbox';
  expect(await examine('postgres')).toEqual([expect.stringContaining('No host has this name')]);
});

test('a queue on another Postgres is examined too', async () => {
  const queue = new URL(database.url);
  process.env['DATABASE_URL'] = `${database.url}?connect_timeout=10`;
  expect(await examine('queue')).toEqual(['ok queue The Postgres of QUEUE_URL can be used.']);

  queue.pathname = '/none';
  process.env['QUEUE_URL'] = queue.href;
  expect(await examine('queue')).toEqual([
    expect.stringMatching(
      /^problem queue QUEUE_URL cannot be used: database "none" does not exist\. Create /,
    ),
  ]);
});

test('servers that do not answer are named by their setting', async () => {
  const port = await freePort(undefined, new Set());
  process.env['DATABASE_URL'] = `postgres://signalbox:secret@127.0.0.1:${port}/signalbox`;
  process.env['QUEUE_URL'] = `redis://127.0.0.1:${port}`;

  const found = [...(await examine('postgres')), ...(await examine('redis'))];

  expect(found).toEqual([
    expect.stringMatching(/^problem postgres DATABASE_URL cannot be used: /),
    expect.stringMatching(/^problem redis QUEUE_URL cannot be used: /),
  ]);
  expect(found.join()).not.toContain('secret');
});

test('settings that are missing are all named', async () => {
  for (const name of ['QUEUE_URL', 'SECRETS_KEY']) delete process.env[name];

  await expect(doctor.run([])).rejects.toThrow(/QUEUE_URL must be[^]*SECRETS_KEY must be/);
});

test('without a database, the report says how to examine an `npm start` with --data', async () => {
  process.env = { ...before, DATABASE_URL: '', SIGNALBOX_URL: 'http://127.0.0.1:1' };

  await expect(doctor.run([])).rejects.toThrow(/DATABASE_URL must name[^]*`set -a; \. <folder>\/stack\.env/);
});
