import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { ReportStatus } from '@signalbox/domain/message-status';
import { addSender, addWebhooks, newChat, newReport, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { fanOutChat } from '../chat/fan-out.ts';
import { type RecordedSubmit, recordChatSubmits, recordSubmits } from '../messages/submits.ts';
import { applyReports, insertReports, listUnsettled } from '../reports/reports.ts';
import { fanOutFairly } from '../submissions/fair-fan-out.ts';
import type { IdempotentCall } from '../submissions/idempotency-keys.ts';
import { listReady } from '../submissions/ready-batches.ts';
import { reclaim } from '../submissions/reclaim.ts';
import { type NewSubmission, fanOut, insertSubmissions } from '../submissions/submissions.ts';
import { type PushOutcome, claimPushes, recordPushes } from '../webhooks/pushes.ts';

/*
 * A statement is prepared once per connection, so its plan may date from a time when the tables were almost empty. Such a
 * plan must still look up a batch by its keys when a send to thousands follows.
 */

const MANY = 100;

/** Rows of one table that a statement may read for each of its messages. Ten times as many are stored before. */
const READS_PER_MESSAGE = 4;

const numbers = Array.from({ length: MANY }, (_, i) => String(919811000000 + i));

test.each([
  { tables: 'never analyzed', sends: 'one call', recipients: [numbers] },
  { tables: 'never analyzed', sends: 'one call each', recipients: numbers.map((each) => [each]) },
  { tables: 'analyzed', sends: 'one call', recipients: [numbers] },
  { tables: 'analyzed', sends: 'one call each', recipients: numbers.map((each) => [each]) },
  { tables: 'with opt-outs only', sends: 'one call', recipients: [numbers] },
])('many messages of $sends are looked up by plans of almost empty tables, $tables', async (given) => {
  await using rows = await openRows();
  await rows.db.transaction(async (db) => {
    await db.query(`SET LOCAL plan_cache_mode = force_generic_plan`);
    const lives = await Lives.open(db);
    if (given.tables === 'analyzed') {
      for (let run = 0; run < 4; run += 1) await lives.run([['919800000001']]);
      await db.query('ANALYZE');
    }
    if (given.tables === 'with opt-outs only') await lives.optOut(10 * MANY);
    await lives.run([['919800000001']]);
    await lives.optOut(MANY);
    await lives.subscribeOthers();
    for (let run = 0; run < 5; run += 1) await lives.run(given.recipients);

    const reads = await lives.run(given.recipients);

    const most = Object.entries(reads).filter(([, count]) => count > READS_PER_MESSAGE * MANY);
    expect(most).toEqual([]);
    expect(reads['applyReports message']).toBe(MANY);
  });
});

/** Rows that statements read, by the name of the statement and the table. */
type Reads = Record<string, number>;

/** Runs the statements of the life of messages. */
class Lives {
  private reads: Reads = {};
  private lastSender = 15_550_100_000;

  private constructor(
    private readonly db: EntityManager,
    private readonly accountId: string,
    private readonly webhookId: string,
  ) {}

  static async open(db: EntityManager): Promise<Lives> {
    const accountId = randomUUIDv7();
    const [webhookId] = (await addWebhooks(db, accountId, 1)) as [string];
    return new Lives(db, accountId, webhookId);
  }

  /** Stores opt-outs of others than the recipients. */
  async optOut(count: number): Promise<void> {
    const optOuts = Array.from({ length: count }, (_, i) => ({
      id: randomUUIDv7(),
      recipient: String(1919811000000 + i),
      sender: '',
      source: 'api',
      reason: null,
      createdAt: new Date(),
    }));
    await upsertOptOuts(this.db, this.accountId, optOuts);
  }

  /** Stores webhooks of other accounts, which subscribe to each step of a message. */
  async subscribeOthers(): Promise<void> {
    await this.db.query(
      `WITH other AS (
         INSERT INTO account (id, name) SELECT uuidv7(), 'other ' || i FROM generate_series(1, $1) AS i RETURNING id
       )
       INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret, events, intermediate)
       SELECT uuidv7(), id, channel, channel, 'any', 'POST', 'http://127.0.0.1:9', '[]', '{}', 4, '', '{message.sent}', true
         FROM other, unnest('{sms,chatapp}'::text[]) AS channel`,
      [10 * MANY],
    );
  }

  /** Lets messages live that are claimed by their submissions, and as many that are claimed by their lane. */
  async run(sends: string[][]): Promise<Reads> {
    this.reads = {};
    const named = await this.accept(sends);
    await this.counted(fanOut, idsOf(named), LEASE_SECONDS);
    const ofLane = await this.accept(sends, { path: '/v1/sms', bodyHash: Buffer.of(1) });
    const round = { budget: 2 * MANY, allowances: new Map(), after: null, quiet: [] };
    await this.counted(listReady, ['TRANS'], 'oldest');
    await this.counted(fanOutFairly, 'TRANS', round, LEASE_SECONDS);
    await this.counted(reclaim, idsOf(ofLane), LEASE_SECONDS);
    for (const submissions of [named, ofLane]) {
      const keys = keysOf(submissions);
      await this.counted(recordSubmits, 'simulator', submitsOf(keys));
      await this.settle(keys, 'DELIVERED');
    }
    await this.chat(sends.flat());
    return this.reads;
  }

  /** Stores chat-app messages, each with a separate submission, from a sender that has its full rate. */
  private async chat(recipients: string[]): Promise<void> {
    const { accountId } = this;
    this.lastSender += 1;
    const sender = String(this.lastSender);
    await addSender(this.db, accountId, sender, 1_000);
    const submissions = recipients.map((each) => newChat({ accountId, sender, recipients: [each] }));
    await this.counted(insertSubmissions, submissions);
    const share = { budget: MANY, after: null, leaseSeconds: LEASE_SECONDS };
    const { messages } = await this.counted(fanOutChat, 'CHAT', share);
    requireCount(messages, recipients.length);
    await this.counted(recordChatSubmits, 'simulator', submitsOf(messages));
    await this.settle(messages, 'SENT');
  }

  /** Stores sends, each with an idempotency key when the rest of it is given. */
  private async accept(sends: string[][], keyed?: Omit<IdempotentCall, 'key'>): Promise<NewSubmission[]> {
    const { accountId } = this;
    const submissions = sends.map((recipients) => {
      const idempotency = keyed ? { ...keyed, key: randomUUIDv7() } : null;
      return newSubmission({ accountId, recipients, idempotency });
    });
    await this.counted(insertSubmissions, submissions);
    return submissions;
  }

  /** Applies and pushes a report of each message. */
  private async settle(keys: MessageKey[], status: ReportStatus): Promise<void> {
    const reports = keys.map(({ submissionId, n }) => newReport(submissionId, { n, status }));
    await this.counted(insertReports, reports);
    const ids = idsOf(reports);
    requireCount(await this.counted(applyReports, ids), keys.length);
    await this.counted(listUnsettled, ids);
    await this.push(ids);
  }

  /** Postpones the first try of each push, and makes the second. */
  private async push(reportIds: string[]): Promise<void> {
    const { accountId, webhookId } = this;
    const outcomes = (given: Pick<PushOutcome, 'status' | 'nextDelayMs'>): PushOutcome[] =>
      reportIds.map((reportId) => ({ ...ATTEMPT, reportId, webhookId, accountId, ...given }));
    await this.counted(recordPushes, reportIds, outcomes({ status: 'WAITING', nextDelayMs: 0 }));
    const room = [{ webhookId, room: reportIds.length }];
    requireCount(await this.counted(claimPushes, room, LEASE_SECONDS), reportIds.length);
    await this.counted(recordPushes, [], outcomes({ status: 'DELIVERED', nextDelayMs: null }));
  }

  /** Runs a statement, and notes the most rows of each table that it has read. */
  private async counted<Args extends unknown[], R>(
    statement: (db: EntityManager, ...args: Args) => Promise<R>,
    ...args: Args
  ): Promise<R> {
    const before = await readsByTable(this.db);
    const result = await statement(this.db, ...args);
    for (const [table, count] of Object.entries(await readsByTable(this.db))) {
      const name = `${statement.name} ${table}`;
      this.reads[name] = Math.max(this.reads[name] ?? 0, count - (before[table] ?? 0));
    }
    return result;
  }
}

const ATTEMPT = {
  attempts: 1,
  responseStatus: 500,
  error: 'http_500',
  durationMs: 1,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
  requestHeaders: null,
  failedAttempt: true,
};

/** @throws Error when a statement did not find all of its messages */
function requireCount(rows: readonly unknown[], count: number): void {
  if (rows.length !== count) throw new Error(`${rows.length} rows instead of ${count}`);
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const submitsOf = (keys: MessageKey[]): RecordedSubmit[] =>
  keys.map(({ submissionId, n }) => ({
    submissionId,
    n,
    result: 'sent',
    gatewayMessageId: 'x',
    retryAfterMs: 0,
  }));

const keysOf = (submissions: NewSubmission[]): MessageKey[] =>
  submissions.flatMap(({ id, recipients }) => recipients.map((_, i) => ({ submissionId: id, n: i + 1 })));

/** Rows of each table that the transaction has read, by scans and through indexes. */
async function readsByTable(db: EntityManager): Promise<Reads> {
  const tables: { name: string; reads: number }[] = await db.query(
    `SELECT relname AS name, (seq_tup_read + idx_tup_fetch)::integer AS reads FROM pg_stat_xact_user_tables`,
  );
  return Object.fromEntries(tables.map(({ name, reads }) => [name, reads]));
}
