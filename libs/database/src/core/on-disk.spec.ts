import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import { accept, addSender, addWebhooks, newChat, newReport, newSubmission } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { fanOutChat } from '../chat/fan-out.ts';
import { recordChatSubmits, recordSubmits } from '../messages/submits.ts';
import { applyReports, insertReports } from '../reports/reports.ts';
import { fanOut } from '../submissions/submissions.ts';
import { ON_DISK } from './on-disk.ts';

const rows = await openSharedRows();

const { accountId } = newSubmission();
await addSender(rows.db, accountId);
await addWebhooks(rows.db, accountId, 2);
await rows.db.query(`UPDATE webhook SET intermediate = true, events = '{message.sent}'`);
await rows.db.query(
  `UPDATE webhook SET channel = 'chatapp' WHERE id = (SELECT id FROM webhook ORDER BY id LIMIT 1)`,
);

test.each([
  {
    event: 'the report of a message that moves',
    prepare: async () => {
      const { submissionId } = await acceptSms();
      const report = newReport(submissionId);
      await fanOut(rows.db, [submissionId], LEASE_SECONDS);
      await insertReports(rows.db, [report]);
      return (db: EntityManager) => applyReports(db, [report.id]);
    },
  },
  {
    event: 'the event of an SMS that was submitted',
    prepare: async () => {
      const sms = await acceptSms();
      await fanOut(rows.db, [sms.submissionId], LEASE_SECONDS);
      return (db: EntityManager) => recordSubmits(db, 'simulator', [submitted(sms)]);
    },
  },
  {
    event: 'the event of a chat-app message that was submitted',
    prepare: async () => {
      await accept(rows.db, newChat({ accountId }));
      const share = { budget: 1, after: null, leaseSeconds: LEASE_SECONDS };
      const { messages } = await fanOutChat(rows.db, 'CHAT', share);
      return (db: EntityManager) => recordChatSubmits(db, 'simulator', messages.map(submitted));
    },
  },
  {
    event: 'the event of a message that ends at its claim',
    prepare: async () => {
      const { submissionId } = await acceptSms();
      await rows.db.query(`UPDATE submission SET expires_at = now() WHERE id = $1`, [submissionId]);
      return (db: EntityManager) => fanOut(db, [submissionId], LEASE_SECONDS);
    },
  },
])('$event is on disk before its push, and a repeat does not wait for the disk', async ({ prepare }) => {
  const run = await prepare();

  expect([await commitAfter(run), await commitAfter(run)]).toEqual(['on', 'off']);
});

test('a statement evaluates it once, for its first row', async () => {
  expect([await evaluations("name <> ''"), await evaluations("name = ''")]).toEqual([1, 0]);
});

async function acceptSms(): Promise<MessageKey> {
  const { id } = await accept(rows.db, { accountId });
  return { submissionId: id, n: 1 };
}

function submitted({ submissionId, n }: MessageKey) {
  return { submissionId, n, result: 'sent' as const, gatewayMessageId: null, retryAfterMs: 0 };
}

/** Returns how a transaction commits after a statement, on a connection of a worker. */
async function commitAfter(run: (db: EntityManager) => Promise<unknown>): Promise<unknown> {
  return rows.db.transaction(async (db) => {
    await db.query('SET LOCAL synchronous_commit = off');
    await run(db);
    const [row] = await db.query('SHOW synchronous_commit');
    return row.synchronous_commit;
  });
}

/** Counts the evaluations in a statement that returns the webhooks of a condition, of which there are two. */
async function evaluations(condition: string): Promise<unknown> {
  const [row] = await rows.db.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) UPDATE webhook SET name = name WHERE ${condition} RETURNING id, ${ON_DISK}`,
  );
  const { Plans: plans } = row['QUERY PLAN'][0].Plan as { Plans: Record<string, unknown>[] };
  return plans.find((plan) => plan['Parent Relationship'] === 'InitPlan')?.['Actual Loops'];
}
