import { randomUUIDv7 } from 'node:crypto';
import { openDataSource } from '@signalbox/database/data-source';
import type { NewReport } from '@signalbox/database/reports';
import { type NewSubmission, insertSubmissions } from '@signalbox/database/submissions';
import type { EntityManager } from 'typeorm';
import { createDatabase } from './database.ts';

export interface TestRows extends AsyncDisposable {
  url: string;
  db: EntityManager;
}

/** A migrated database of its own, with an open pool: `await using { db } = …` does not work, so keep the whole. */
export async function openRows(): Promise<TestRows> {
  const database = await createDatabase();
  const source = await openDataSource({ url: database.url, applicationName: 'test', poolSize: 5, commit: 'durable' });
  return {
    url: database.url,
    db: source.manager,
    [Symbol.asyncDispose]: async () => {
      await source.destroy();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A submission as the API would make it, to one recipient unless told. */
export function newSubmission(given: Partial<NewSubmission> = {}): NewSubmission {
  return {
    id: randomUUIDv7(),
    accountId: randomUUIDv7(),
    channel: 'sms',
    kind: 'text',
    lane: 'TRANS',
    sender: 'SIGNALBX',
    content: { text: 'Hello', unicode: false, flash: false },
    sealed: null,
    recipients: ['919800000100'],
    custom: null,
    credits: 1,
    creditsEach: null,
    campaign: null,
    clientRef: null,
    sendAt: null,
    expiresAt: null,
    ratePerSecond: null,
    waits: false,
    idempotency: null,
    ...given,
  };
}

/** Stores a submission; its id is the answer. */
export async function accept(db: EntityManager, given: Partial<NewSubmission> = {}): Promise<NewSubmission> {
  const submission = newSubmission(given);
  await insertSubmissions(db, [submission]);
  return submission;
}

/** A report that says a message was delivered, unless told. */
export function newReport(submissionId: string, given: Partial<NewReport> = {}): NewReport {
  return {
    id: randomUUIDv7(),
    gateway: 'simulator',
    submissionId,
    n: 1,
    status: 'DELIVERED',
    errCode: '000',
    description: 'Message delivered',
    operatorCircle: null,
    reportedAt: new Date(),
    ...given,
  };
}

/** Makes webhooks of an account, which is made too. */
export async function addWebhooks(db: EntityManager, accountId: string, count: number): Promise<string[]> {
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'webhooks') ON CONFLICT DO NOTHING`, [accountId]);
  const rows: { id: string }[] = await db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, end_point, headers, fields, max_in_flight, sealed_secret)
     SELECT uuidv7(), $1, 'webhook ' || n, 'sms', 'any', 'POST', 'http://127.0.0.1:9', '[]', '{}', 4, '' FROM generate_series(1, $2) AS n RETURNING id`,
    [accountId, count],
  );
  return rows.map((row) => row.id);
}
