import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { openDataSource } from '@signalbox/database/core/data-source';
import { type NewInbound, insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { recordChatSubmits } from '@signalbox/database/messages/messages';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import { type NewSubmission, fanOut } from '@signalbox/database/submissions/submissions';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';

import type { EntityManager } from 'typeorm';
import type { QueueBackend } from './queue.ts';
import { type ReceivedPush, type Receiver, startReceiver } from './receiver.ts';
import { accept, newChat, newReport } from './rows.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const GATEWAY = 'chat-simulator';
export const [CUSTOMER, BUSINESS] = ['919800000100', '15550100001'] as const;

/** An event as a webhook gets it. */
export interface ToldEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export function eventOf({ body }: ReceivedPush): ToldEvent {
  return JSON.parse(body) as ToldEvent;
}

/** Chat-app messages, their reports, and the endpoint that receives the events; no gateway takes part. */
export interface ToldChats extends AsyncDisposable {
  p: Pipeline;
  receiver: Receiver;
  accountId: string;
  addWebhook: (settings: object) => Promise<{ id: string; secret: string }>;
  /** A message that its gateway took. */
  send: (given?: Partial<NewSubmission>) => Promise<NewSubmission>;
  /** Stores reports of a message, a second apart, in one batch; `late` dates their arrival back. */
  report: (
    id: string,
    statuses: readonly ReportedStatus[],
    given?: Partial<NewReport>,
    late?: boolean,
  ) => Promise<void>;
  /** A message that the customer writes; its id is the answer. */
  write: (given?: Partial<NewInbound>) => Promise<string>;
  countOpenReports: () => Promise<number>;
  countWaitingPushes: () => Promise<number>;
  /** Returns the pushed statuses of a message in the order of their arrival. */
  statusesOf: (id: string) => string[];
}

/** Starts two dlr-workers, which may share the reports of a message, and creates a webhook that by default gets everything. */
export async function startToldChats(
  queue: QueueBackend,
  webhook: object = {},
  answer?: (push: ReceivedPush, response: ServerResponse) => void,
): Promise<ToldChats & { secret: string; webhookId: string }> {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver(answer));
  const p = started.use(await startPipeline({ queue, workers: ['dlr', 'dlr'] }));
  const source = await openDataSource({
    url: p.databaseUrl,
    applicationName: 'test',
    poolSize: 5,
    commit: 'durable',
  });
  started.defer(() => source.destroy());
  const db = source.manager;
  const bell = await openProducer<ReportJob>(
    REPORT_QUEUE,
    { url: p.queue.QUEUE_URL, prefix: p.queue.QUEUE_PREFIX },
    () => undefined,
  );
  started.defer(() => closeProducer(bell));
  const ring = (reportIds: string[]): Promise<unknown> => bell.add(REPORT_QUEUE, { reportIds });
  const addWebhook = async (settings: object): Promise<{ id: string; secret: string }> => {
    const { status, body } = await p.post('/v1/webhooks', {
      endPoint: `${receiver.url}/events`,
      maxInFlight: 32,
      ...settings,
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body['data'] as { id: string; secret: string };
  };
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
    ...messagesOf(db, accountId, ring),
    countOpenReports: async () =>
      (await db.query('SELECT FROM message_event WHERE settled_at IS NULL')).length,
    countWaitingPushes: async () => (await db.query(`SELECT FROM push WHERE status = 'WAITING'`)).length,
    statusesOf: (id) =>
      receiver.received
        .map(eventOf)
        .filter(({ type, data }) => type === 'message.status' && data['messageId'] === `${id}:1`)
        .map(({ data }) => String(data['status'])),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function messagesOf(
  db: EntityManager,
  accountId: string,
  ring: (reportIds: string[]) => Promise<unknown>,
): Pick<ToldChats, 'send' | 'report' | 'write'> {
  return {
    send: async (given = {}) => {
      const submission = await accept(
        db,
        newChat({ accountId, recipients: [CUSTOMER], sender: BUSINESS, ...given }),
      );
      await fanOut(db, [submission.id], LEASE_SECONDS);
      const taken = {
        submissionId: submission.id,
        n: 1,
        result: 'sent',
        gatewayMessageId: null,
        retryAfterMs: 0,
      } as const;
      const reportIds = await recordChatSubmits(db, GATEWAY, [taken]);
      if (reportIds.length > 0) await ring(reportIds);
      return submission;
    },
    report: async (id, statuses, given = {}, late = false) => {
      const reports = statuses.map((status, i) =>
        newReport(id, {
          gateway: GATEWAY,
          status,
          description: status,
          reportedAt: new Date(Date.now() + i * 1_000),
          ...given,
        }),
      );
      const ids = reports.map((report) => report.id);
      await insertReports(db, reports);
      if (late)
        await db.query(
          `UPDATE message_event SET received_at = received_at - interval '1 minute' WHERE id = ANY($1)`,
          [ids],
        );
      await ring(ids);
    },
    write: async (given = {}) => {
      const id = randomUUIDv7();
      const now = new Date();
      const from = {
        id,
        gateway: GATEWAY,
        gatewayMessageId: id,
        from: CUSTOMER,
        to: BUSINESS,
        kind: 'text',
        replyTo: null,
        wish: null,
      };
      const { reportIds } = await insertInbounds(db, [
        { ...from, content: { text: { body: 'YES' } }, sentAt: now, receivedAt: now, ...given },
      ]);
      await ring(reportIds);
      return id;
    },
  };
}
