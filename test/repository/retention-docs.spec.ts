import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const APPS = ['sms-worker', 'dlr-worker', 'otp-worker', 'chatapp-worker'];

/** Reasons why a table without a sweep stays bounded. */
const BOUNDS = [
  'by the workers of its kind',
  '[limits](#limits-of-an-account) bound them',
  'permanent',
  'the claim of its rows',
  'the next sign-in',
];

/** The rows of the table in docs/operations.md: the tables that each names, and what deletes their rows. */
function documented(): { tables: string[]; by: string }[] {
  const [, section = ''] = /^## Retention\n(.*?)^## /ms.exec(read('docs/operations.md')) ?? [];
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | '))
    .map(([names = '', , by = '']) => ({
      tables: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
      by: by.replace(/ \|$/, ''),
    }));
}

function tablesOfSchema(): string[] {
  return Array.from(
    read('libs/database/schema.sql').matchAll(/^CREATE TABLE (\w+)/gm),
    ([, name = '']) => name,
  );
}

test('docs/operations.md says of each table how long its rows are kept', () => {
  expect(
    documented()
      .flatMap((row) => row.tables)
      .toSorted(),
  ).toEqual(tablesOfSchema().toSorted());
});

test('docs/privacy.md says of each table which personal data it has', () => {
  const [, section = ''] = /^## What is stored\n(.*?)^## /ms.exec(read('docs/privacy.md')) ?? [];
  const named = new Set(Array.from(section.matchAll(/`(\w+)`/g), ([, name]) => name));

  expect(tablesOfSchema().filter((table) => !named.has(table))).toEqual([]);
});

test('each table is swept by a duty of a worker, or bounded', () => {
  const duties =
    APPS.map((app) => read(`apps/${app}/src/duties.ts`)).join('\n') +
    read('apps/chatapp-worker/src/media-sweep.ts') +
    read('libs/messaging/src/lanes/lane-duties.ts') +
    read('libs/messaging/src/gateways/gateway-id-duties.ts') +
    read('libs/messaging/src/maintenance/week-duties.ts') +
    read('libs/messaging/src/callbacks/callback-reading.ts') +
    read('libs/messaging/src/orphans/orphan-duties.ts');

  const swept = documented().filter(({ by }) => !BOUNDS.includes(by));

  expect(swept.filter(({ by }) => !duties.includes(`'${by}'`))).toEqual([]);
});

test('the statements of a sweep name each table that they are documented to delete from', () => {
  const statements = [
    'ops-deleteOldest',
    'gateways-sweepOrphans',
    'gateways-sweepInboundSegments',
    'reports-deleteDeferred',
    'reports-sweepCallbacks',
    'submissions-listReady',
    'submissions-sweepIdempotencyKeys',
    'messages-deleteExpiredLinks',
    'ops-sweepPhoneMessages',
    'ops-sweepQueueMinutes',
    'ops-sweepRowFailures',
    'templates-deleteMedia',
    'accounts-sweepOptOutEnds',
    'verify-sweepVerifications',
    'verify-sweepGuardCounts',
    'verify-sweepNumbers',
    'verify-sweepQuotas',
    'ops-beat',
    'gateways-upsertStates',
    'gateways-deleteSubmitBatches',
    'gateways-deleteUnconfirmed',
    'gateways-sweepPins',
    'gateways-sweepGatewayCounts',
    'statistics-sweepMinutes',
    'statistics-sweepStatistics',
    'webhooks-sweepEndpointHours',
  ];
  const deleted = statements
    .flatMap((name) => [...read(`libs/database/queries/${name}.sql`).matchAll(/DELETE FROM (\w+)/g)])
    .map(([, table]) => table!);
  const swept = documented().filter(({ by }) => !BOUNDS.slice(1).includes(by));

  // The row of an endpoint goes with its webhook; days of gateways' ids are dropped.
  expect([...new Set([...deleted, 'endpoint', 'gateway_message_id'])].toSorted()).toEqual(
    swept.flatMap(({ tables }) => tables).toSorted(),
  );
});
