import { randomUUIDv7 } from 'node:crypto';
import type { NewInbound } from '@signalbox/database/chat/inbound-messages';
import { openDataSource } from '@signalbox/database/core/data-source';
import type { GatewayRow } from '@signalbox/database/gateways/gateways';
import type { NewMessageId } from '@signalbox/database/gateways/message-ids';
import type { NewReport } from '@signalbox/database/reports/reports';
import { listReady } from '@signalbox/database/submissions/ready-batches';
import { type NewSubmission, insertSubmissions } from '@signalbox/database/submissions/submissions';
import type { ProviderTemplate } from '@signalbox/database/templates/provider-states';
import type { NewVerification } from '@signalbox/database/verify/verifications';
import { SMS_LANES } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { createDatabase } from './database.ts';
import { newSubmission } from './new-submission.ts';

export { newSubmission } from './new-submission.ts';

export interface TestRows extends AsyncDisposable {
  url: string;
  db: EntityManager;
}

/** Opens a separate migrated database with a pool: `await using rows = await openRows();` */
export async function openRows(): Promise<TestRows> {
  const database = await createDatabase();
  const source = await openDataSource({
    url: database.url,
    applicationName: 'test',
    poolSize: 5,
    commit: 'durable',
  });
  return {
    url: database.url,
    db: source.manager,
    [Symbol.asyncDispose]: async () => {
      await source.destroy();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Stores a submission, lists it in `ready_sms` or `ready_chat`, and returns it. */
export async function accept(db: EntityManager, given: Partial<NewSubmission> = {}): Promise<NewSubmission> {
  const submission = newSubmission(given);
  await insertSubmissions(db, [submission]);
  await listReady(db, SMS_LANES, 'oldest');
  return submission;
}

/**
 * Stores batches of ready SMS submissions of an account that are not listed in `ready_sms`, each batch older than the
 * next. Returns the account.
 */
export async function storeReadyBatches(db: EntityManager, batches: number, size: number): Promise<string> {
  const { id, accountId } = newSubmission();
  await insertSubmissions(db, [newSubmission({ id, accountId })]);
  await db.query('DELETE FROM ready_batch WHERE id = $1', [id]);
  await db.query(
    `WITH made AS (
       SELECT uuidv7(make_interval(secs => i - $2 * $3 - 10)) AS id, i / $3 AS batch
         FROM generate_series(0, $2::integer * $3::integer - 1) AS i
     ), copied AS (
       INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, listed)
       SELECT made.id, account_id, channel, kind, lane, sender, content, recipients, credits, listed
         FROM made, submission s
        WHERE s.id = $1
     )
     INSERT INTO ready_batch (id, lane, due_at, ids)
     SELECT min(id::text)::uuid, 'TRANS', now() + make_interval(secs => batch - $2), array_agg(id)
       FROM made
      GROUP BY batch`,
    [id, batches, size],
  );
  return accountId;
}

/** A chat-app message as the API would make it: a text from 15550100001, by default. */
export function newChat(given: Partial<NewSubmission> = {}): NewSubmission {
  return newSubmission({
    channel: 'chatapp',
    lane: 'CHAT',
    sender: '15550100001',
    content: { text: { body: 'Hello' } },
    ...given,
  });
}

/** A chat-app message that a recipient wrote to 15550100001, by default. */
export function newInbound(given: Partial<NewInbound> = {}): NewInbound {
  const id = randomUUIDv7();
  const now = new Date();
  return {
    id,
    gateway: 'chat-simulator',
    gatewayMessageId: id,
    from: '919812345678',
    to: '15550100001',
    kind: 'text',
    content: { text: { body: 'YES' } },
    replyTo: null,
    sentAt: now,
    receivedAt: now,
    consent: null,
    ...given,
  };
}

/** Inserts a sender with its chat account, and the account if it is missing. Returns the id of the chat account. */
export async function addSender(
  db: EntityManager,
  accountId: string,
  msisdn = '15550100001',
  messagesPerSecond = 80,
): Promise<number> {
  const [chatAccount]: { id: number }[] = await db.query(
    `WITH made AS (INSERT INTO account (id, name) VALUES ($1, 'senders') ON CONFLICT DO NOTHING)
     INSERT INTO chat_account (account_id, name) VALUES ($1, $2) RETURNING id::integer`,
    [accountId, msisdn],
  );
  await db.query(
    `INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second) VALUES ($1, $2, $3, $4)`,
    [msisdn, chatAccount!.id, accountId, messagesPerSecond],
  );
  return chatAccount!.id;
}

/** A report that says a message was delivered, by default. */
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

/** The id that the gateway smsc-1 gave a message to 919800000100, by default. */
export function newMessageId(gatewayMessageId: string, given: Partial<NewMessageId> = {}): NewMessageId {
  return {
    gateway: 'smsc-1',
    gatewayMessageId,
    submissionId: randomUUIDv7(),
    n: 1,
    segment: 1,
    segments: 1,
    recipient: '919800000100',
    ...given,
  };
}

/** The row of an enabled gateway. */
export function newGateway(name: string, given: Partial<GatewayRow> = {}): GatewayRow {
  return {
    id: randomUUIDv7(),
    name,
    channel: 'sms',
    kind: 'simulator',
    settings: {},
    sealedSecrets: null,
    oldSecrets: [],
    ratePerSecond: null,
    enabled: true,
    paused: false,
    source: 'api',
    version: 1,
    createdAt: new Date(),
    updatedAt: new Date(),
    ...given,
  };
}

/** A template as its provider names it, without any news of it by default. */
export function newProviderTemplate(
  given: Partial<ProviderTemplate> & Pick<ProviderTemplate, 'gateway' | 'gatewayTemplateId' | 'name'>,
): ProviderTemplate {
  return {
    language: 'en',
    providerStatus: null,
    status: null,
    reason: null,
    quality: null,
    category: null,
    comingCategory: null,
    at: null,
    ...given,
  };
}

/** A request for a code to a number, by default to 919800000100. */
export function newVerification(given: Partial<NewVerification> = {}): NewVerification {
  return {
    id: randomUUIDv7(),
    accountId: randomUUIDv7(),
    configId: randomUUIDv7(),
    keyId: randomUUIDv7(),
    recipient: '919800000100',
    country: 'IN',
    isTest: false,
    maxAttempts: 3,
    ttlSeconds: 300,
    guardReason: null,
    idempotency: null,
    replaces: null,
    ...given,
  };
}

/** Inserts webhooks of an account, and the account if it is missing. Returns their ids. */
export async function addWebhooks(db: EntityManager, accountId: string, count: number): Promise<string[]> {
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'webhooks') ON CONFLICT DO NOTHING`, [
    accountId,
  ]);
  const rows: { id: string }[] = await db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     SELECT uuidv7(), $1, 'webhook ' || n, 'sms', 'any', 'POST', 'http://127.0.0.1:9', '[]', '{}', 4, '' FROM generate_series(1, $2) AS n RETURNING id`,
    [accountId, count],
  );
  return rows.map((row) => row.id);
}

/** Stores 100 sends of a new account, each to 10,000 recipients, and returns the account's id. */
export async function insertLargeSends(db: EntityManager): Promise<string> {
  const accountId = randomUUIDv7();
  const recipients = Array.from({ length: 10_000 }, (_, n) => String(919811100000 + n));
  const send = { accountId, recipients, campaign: 'large', clientRef: 'large' };
  for (let i = 0; i < 100; i += 1) await insertSubmissions(db, [newSubmission(send)]);
  await db.query('ANALYZE submission');
  return accountId;
}

/** Ends the wait of the batches of claims and of reports, so that the next rescue reads them. */
export async function makeBatchesDue(db: EntityManager): Promise<void> {
  await db.query(`UPDATE claim_batch SET due_at = now() - interval '1 second'`);
  await db.query(`UPDATE report_batch SET due_at = now() - interval '1 second'`);
}
