import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { type AuditFilter, listAuditEvents } from './audit.ts';

const rows = await openSharedRows();

const ANY: AuditFilter = { actor: null, action: null, target: null, fromId: null, beforeId: null };

/** Stores events of an account, one each second, the newest a minute ago. */
async function store(accountId: string, count: number, columns: string): Promise<void> {
  await rows.db.query(
    `INSERT INTO audit_event (id, account_id, actor, actor_name, action, target, address)
     SELECT uuidv7(i * interval '-1 second'), $1, ${columns}, '127.0.0.1'
       FROM generate_series(60, 59 + $2::integer) AS i`,
    [accountId, count],
  );
  await rows.db.query('VACUUM ANALYZE audit_event');
}

test('a page with two filters reads a bounded number of events, and says where to continue', async () => {
  const accountId = randomUUIDv7();
  await store(
    accountId,
    25_000,
    `CASE i WHEN 15000 THEN 'cli' ELSE 'api-key:a' END, 'a', 'createWebhook', 'target ' || i`,
  );
  const filter = { ...ANY, actor: 'api-key:b', action: 'createWebhook' };
  await store(accountId, 1, `'api-key:b', 'b', 'other', NULL`);

  const pages = await countPages(rows.db, (db) => listAuditEvents(db, accountId, filter, 50));
  const first = await listAuditEvents(rows.db, accountId, { ...filter, actor: 'cli' }, 50);
  const second = await listAuditEvents(
    rows.db,
    accountId,
    { ...filter, actor: 'cli', beforeId: first.next },
    50,
  );

  expect(first).toEqual({ events: [], next: expect.any(String) });
  expect(second.events).toMatchObject([{ actor: 'cli', target: 'target 15000' }]);
  expect(pages).toBeLessThan(600); // all have 800
});

test('pages with one filter are full until the end', async () => {
  const accountId = randomUUIDv7();
  await store(accountId, 30, `'api-key:' || i % 2, 'a', 'createWebhook', 'target ' || i % 3`);
  const found: string[] = [];
  let beforeId: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAuditEvents>> = await listAuditEvents(
      rows.db,
      accountId,
      { ...ANY, actor: 'api-key:1', beforeId },
      7,
    );
    found.push(...page.events.map(({ id }) => id));
    beforeId = page.next;
    expect(page.events).toHaveLength(beforeId === null ? 1 : 7);
  } while (beforeId);

  expect(found).toHaveLength(15);
  expect(found).toEqual(found.toSorted().toReversed());
});

test('all filters of a page hold, within its range of time', async () => {
  const accountId = randomUUIDv7();
  await store(
    accountId,
    60,
    `'api-key:' || i % 2, 'a', (ARRAY['x', 'y', 'z'])[1 + i % 3], 'target ' || i % 5`,
  );
  const filter = { ...ANY, actor: 'api-key:1', action: 'x', target: 'target 0' };

  const { events, next } = await listAuditEvents(rows.db, accountId, filter, 50);
  const later = await listAuditEvents(rows.db, accountId, { ...filter, fromId: events[0]!.id }, 50);

  expect(next).toBeNull();
  const found = { actor: 'api-key:1', action: 'x', target: 'target 0' };
  expect(events).toMatchObject([found, found]);
  expect(later.events.map(({ id }) => id)).toEqual([events[0]!.id]);
});
