import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startService } from '../support/service.ts';
import { type OwnPostgres, backUp, queryServer, startCopy, startPrimary } from '../support/standby.ts';
import { keepLoad, testDrill } from './figures.ts';

const KEYS = {
  SECRETS_KEY: randomBytes(32).toString('base64'),
  OTP_PEPPER: randomBytes(32).toString('base64'),
};

testDrill('a database restored to a point in time goes on with an empty Redis', async () => {
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
  await queryServer(primary.url, `SELECT pg_create_restore_point('drill')`);
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
    async () => (await queryServer(restored.url, 'SELECT WHERE NOT pg_is_in_recovery()')).length === 1,
    {
      otherwise: 'the restored database did not reach its point in time',
    },
  );
  const reports = await queryServer<{ id: string }>(
    restored.url,
    `SELECT submission_id || ':' || n AS id FROM message_event`,
  );
  const reported = new Set(reports.map(({ id }) => id));
  await using _again = await startService({ queue: 'redis', databaseUrl: restored.url, env: KEYS });

  const open = `SELECT FROM message WHERE status IN ('PENDING', 'SENT') UNION ALL SELECT FROM push WHERE status = 'WAITING'`;
  await waitFor(async () => (await queryServer(restored.url, open)).length === 0, {
    otherwise: 'restored messages were not finished and pushed',
  });
  const found = await queryServer<{ id: string }>(
    restored.url,
    `SELECT submission_id || ':' || n AS id FROM message`,
  );
  const kept = new Set(found.map(({ id }) => id));
  const pushed = tenant.receiver.messageIds();
  expect(before.filter((id) => !kept.has(id) || !pushed.has(id))).toEqual([]);
  const foreign = listPushedAsOther(tenant.receiver.received);
  expect(foreign.filter((id) => reported.has(id))).toEqual([]);
  process.stdout.write(
    `restore: ${before.length} accepted before the point, ${kept.size} restored, ${foreign.length} reported again\n`,
  );
});

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
  const [row] = await queryServer<{ file: string }>(
    primary.url,
    'SELECT pg_walfile_name(pg_switch_wal()) AS file',
  );
  await waitFor(() => existsSync(join(dir, row?.file ?? '')), { otherwise: 'the last WAL was not archived' });
}
