import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { OLDEST_POSTGRES } from '@signalbox/database/core/migrate';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { queryOnce } from '../support/database.ts';
import { type Tenant, startService } from '../support/service.ts';
import { type OwnPostgres, backUp, startCopy, startPrimary } from '../support/standby.ts';
import { keepLoad, testDrill } from './figures.ts';

const KEYS = {
  SECRETS_KEY: randomBytes(32).toString('base64'),
  OTP_PEPPER: randomBytes(32).toString('base64'),
};

const CLIENTS = findClients();
/** `testDrill` where there is a pg_dump of this Postgres, else `test.skip`. */
const testDump = CLIENTS === undefined ? test.skip : testDrill;

testDrill('a database restored to a point in time works with an empty Redis', async () => {
  await using archive = makeArchive();
  await using primary = await startPrimary({
    archive_mode: 'on',
    archive_command: `test ! -f ${archive.dir}/%f && cp %p ${archive.dir}/%f`,
  });
  const service = await startService({ queue: 'redis', databaseUrl: primary.url, env: KEYS });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad();
  await keepLoad(load, 100);
  await using backup = await backUp(primary);
  await keepLoad(load);
  const before = [...load.accepted.keys()];
  await queryOnce(primary.url, `SELECT pg_create_restore_point('drill')`);
  await load.more(50);
  await load.stop();
  await untilArchived(primary, archive.dir);
  await service[Symbol.asyncDispose]();
  await primary.process.stop('SIGKILL');

  await using restored = await startCopy(
    backup,
    [
      `restore_command = 'cp ${archive.dir}/%f %p'`,
      `recovery_target_name = 'drill'`,
      `recovery_target_action = 'promote'`,
    ],
    'recovery.signal',
  );
  await waitFor(
    async () => (await queryOnce(restored.url, 'SELECT WHERE NOT pg_is_in_recovery()')).length === 1,
    {
      otherwise: 'the restored database did not reach its point in time',
    },
  );
  await goOn('restore', restored.url, tenant, before);
});

testDump('a dump made under load, restored into an empty database, works with an empty Redis', async () => {
  await using archive = makeArchive();
  const dump = join(archive.dir, 'signalbox.dump');
  await using primary = await startPrimary();
  const service = await startService({ queue: 'redis', databaseUrl: primary.url, env: KEYS });
  await using tenant = await service.createTenant();
  await using load = tenant.startLoad();
  await keepLoad(load);
  const before = [...load.accepted.keys()];
  await run('pg_dump', ['--format=custom', `--file=${dump}`, primary.url]);
  await load.more(50);
  await load.stop();
  await service[Symbol.asyncDispose]();
  await primary.process.stop('SIGKILL');

  await using empty = await startPrimary();
  await run('pg_restore', ['--exit-on-error', `--dbname=${empty.url}`, dump]);

  await goOn('dump', empty.url, tenant, before);
});

/** Starts the service on a restored database, and checks that it finishes and pushes all messages of a list. */
async function goOn(name: string, databaseUrl: string, tenant: Tenant, before: string[]): Promise<void> {
  const reported = await listIds(databaseUrl, 'message_event');
  await using _again = await startService({ queue: 'redis', databaseUrl, env: KEYS });

  const open = `SELECT FROM message WHERE status IN ('PENDING', 'SENT') UNION ALL SELECT FROM push WHERE status = 'WAITING'`;
  await waitFor(async () => (await queryOnce(databaseUrl, open)).length === 0, {
    otherwise: 'restored messages were not finished and pushed',
  });
  const kept = await listIds(databaseUrl, 'message');
  const pushed = tenant.receiver.messageIds();
  expect(before.filter((id) => !kept.has(id) || !pushed.has(id))).toEqual([]);
  const foreign = listPushedAsOther(tenant.receiver.received);
  expect(foreign.filter((id) => reported.has(id))).toEqual([]);
  process.stdout.write(
    `${name}: ${before.length} accepted before, ${kept.size} restored, ${foreign.length} reported again\n`,
  );
}

/** Lists the ids of the messages in a table. */
async function listIds(databaseUrl: string, table: 'message' | 'message_event'): Promise<Set<string>> {
  const sql = `SELECT submission_id || ':' || n AS id FROM ${table}`;
  return new Set((await queryOnce<{ id: string }>(databaseUrl, sql)).map(({ id }) => id));
}

/** The folder of a pg_dump that knows this Postgres, on the PATH or where Debian has it; undefined without one. */
function findClients(): string | undefined {
  const major = Math.floor(OLDEST_POSTGRES / 10_000);
  const folders = [...(process.env['PATH'] ?? '').split(':'), `/usr/lib/postgresql/${major}/bin`];
  return folders.find((folder) => {
    const path = join(folder, 'pg_dump');
    return (
      existsSync(path) && Number(/ (\d+)/.exec(execFileSync(path, ['--version']).toString())?.[1]) >= major
    );
  });
}

async function run(program: 'pg_dump' | 'pg_restore', args: string[]): Promise<void> {
  await promisify(execFile)(join(CLIENTS ?? '', program), args);
}

/** Messages that were pushed under more than one webhook-id. */
function listPushedAsOther(pushes: { report: Record<string, string>; headers: object }[]): string[] {
  const groups = Map.groupBy(pushes, ({ report }) => report['messageId'] ?? '');
  const idsOf = (group: typeof pushes) => new Set(group.map(({ headers }) => Object(headers)['webhook-id']));
  return Array.from(groups).flatMap(([id, group]) => (idsOf(group).size > 1 ? [id] : []));
}

function makeArchive(): { dir: string } & AsyncDisposable {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-archive-'));
  chmodSync(dir, 0o777);
  return { dir, [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true, force: true }) };
}

async function untilArchived(primary: OwnPostgres, dir: string): Promise<void> {
  const [row] = await queryOnce<{ file: string }>(
    primary.url,
    'SELECT pg_walfile_name(pg_switch_wal()) AS file',
  );
  await waitFor(() => existsSync(join(dir, row?.file ?? '')), { otherwise: 'the last WAL was not archived' });
}
