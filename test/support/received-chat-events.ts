import type { ServerResponse } from 'node:http';
import { type NewInbound, insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { recordChatSubmits } from '@signalbox/database/messages/submits';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import { type NewSubmission, fanOut } from '@signalbox/database/submissions/submissions';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { JobQueue } from '@signalbox/queues/job-queue';
import type { EntityManager } from 'typeorm';
import { type QueueBackend, openQueue } from './queue.ts';
import { type ReceivedPush, type Receiver, startReceiver } from './receiver.ts';
import { accept, newChat, newInbound, newReport } from './rows.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const GATEWAY = 'chat-simulator';
export const [CUSTOMER, BUSINESS] = ['919800000100', '15550100001'] as const;

/** An event as a webhook receives it. */
export interface ChatEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export function eventOf({ body }: ReceivedPush): ChatEvent {
  return JSON.parse(body) as ChatEvent;
}

/** Chat-app messages, their reports, and the endpoint that receives the events. Runs no gateway. */
export interface ChatEvents extends ChatMessages, AsyncDisposable {
  p: Pipeline;
  receiver: Receiver;
  accountId: string;
  addWebhook: (settings: object) => Promise<CreatedWebhook>;
  countOpenReports: () => Promise<number>;
  countWaitingPushes: () => Promise<number>;
  /** Returns the pushed statuses of a message in the order of their arrival. */
  statusesOf: (id: string) => string[];
}

interface ChatMessages {
  /** Stores a message that its gateway accepted. */
  send: (given?: Partial<NewSubmission>) => Promise<NewSubmission>;
  /** Stores reports of a message, a second apart, in one batch. `late` backdates their arrival by 8 s. */
  report: (
    id: string,
    statuses: readonly ReportedStatus[],
    given?: Partial<NewReport>,
    late?: boolean,
  ) => Promise<void>;
  /** Stores a message from the customer. @returns its id */
  receive: (given?: Partial<NewInbound>) => Promise<string>;
}

interface CreatedWebhook {
  id: string;
  secret: string;
}

/**
 * Starts two dlr-workers, which may share the reports of a message, and creates a webhook for all events by default.
 */
export async function startChatEvents(
  queue: QueueBackend,
  webhook: object = {},
  answer?: (push: ReceivedPush, response: ServerResponse) => void,
): Promise<ChatEvents & { secret: string; webhookId: string }> {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver(answer));
  const p = started.use(await startPipeline({ queue, workers: ['dlr', 'dlr'] }));
  const { db } = p;
  const reports = await openQueue(REPORT_QUEUES.OTHER, p.queue);
  started.defer(() => reports.close());
  const addWebhook = (settings: object): Promise<CreatedWebhook> =>
    createWebhook(p, { endPoint: `${receiver.url}/events`, ...settings });
  const { id: webhookId, secret } = await addWebhook({ name: 'events', channel: 'chatapp', ...webhook });
  const [{ accountId }] = await db.query('SELECT account_id AS "accountId" FROM webhook');
  const all = started.move();
  return {
    p,
    receiver,
    accountId,
    webhookId,
    secret,
    addWebhook,
    ...messagesOf(db, accountId, reports),
    countOpenReports: async () =>
      (await db.query('SELECT FROM message_event WHERE settled_at IS NULL')).length,
    countWaitingPushes: async () => (await db.query(`SELECT FROM push WHERE status = 'WAITING'`)).length,
    statusesOf: (id) => statusesOf(receiver, `${id}:1`),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function createWebhook(p: Pipeline, settings: object): Promise<CreatedWebhook> {
  const { status, body } = await p.post('/v1/webhooks', { maxInFlight: 32, ...settings });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body['data'] as CreatedWebhook;
}

function statusesOf({ received }: Receiver, messageId: string): string[] {
  return received
    .map(eventOf)
    .filter(({ type, data }) => type === 'message.status' && data['messageId'] === messageId)
    .map(({ data }) => String(data['status']));
}

function messagesOf(db: EntityManager, accountId: string, reports: JobQueue): ChatMessages {
  const enqueue = (ids: string[]): Promise<void> => reports.addJobs(ids, {});
  return {
    send: async (given = {}) => {
      const chat = newChat({ accountId, recipients: [CUSTOMER], sender: BUSINESS, ...given });
      const submission = await accept(db, chat);
      await enqueue(await recordSubmit(db, submission));
      return submission;
    },
    report: async (id, statuses, given = {}, late = false) => {
      const ids = await storeReports(db, id, statuses, given);
      if (late) await backdate(db, ids);
      await enqueue(ids);
    },
    receive: async (given = {}) => {
      const inbound = newInbound({ from: CUSTOMER, to: BUSINESS, ...given });
      const { reportIds } = await insertInbounds(db, [inbound]);
      await enqueue(reportIds);
      return inbound.id;
    },
  };
}

/** @returns the ids of the events of this submit */
async function recordSubmit(db: EntityManager, { id }: NewSubmission): Promise<string[]> {
  await fanOut(db, [id], LEASE_SECONDS);
  return recordChatSubmits(db, GATEWAY, [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);
}

async function storeReports(
  db: EntityManager,
  id: string,
  statuses: readonly ReportedStatus[],
  given: Partial<NewReport>,
): Promise<string[]> {
  const reports = statuses.map((status, i) =>
    newReport(id, {
      gateway: GATEWAY,
      status,
      description: status,
      reportedAt: new Date(Date.now() + i * 1_000),
      ...given,
    }),
  );
  await insertReports(db, reports);
  return reports.map((report) => report.id);
}

/**
 * Makes reports too old to wait for an earlier status (5 s), and younger than those that the rescue duty takes for lost
 * (10 s before the oldest job).
 */
async function backdate(db: EntityManager, reportIds: string[]): Promise<void> {
  await db.query(
    `UPDATE message_event SET received_at = received_at - interval '8 seconds' WHERE id = ANY($1)`,
    [reportIds],
  );
}
