import { expect, test } from '@jest/globals';
import { openDataSource } from '@signalbox/database/data-source';
import { recordChatSubmits } from '@signalbox/database/messages';
import { type NewReport, insertReports } from '@signalbox/database/reports';
import { type NewSubmission, fanOut } from '@signalbox/database/submissions';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import { REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { Webhook } from 'standardwebhooks';
import { type QueueBackend, describeOnEachQueue } from '../test/queue.ts';
import { type ReceivedPush, startReceiver } from '../test/receiver.ts';
import { accept, newReport } from '../test/rows.ts';
import { startPipeline } from './pipeline.ts';

const GATEWAY = 'chat-simulator';
const [CUSTOMER, BUSINESS] = ['919800000100', '15550100001'];
const TEMPLATE = { id: '1', version: 1, name: 'order_update', language: 'en_US', category: 'UTILITY' as const, params: ['A-1'] };

interface EventBody {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

describeOnEachQueue((queue) => {
  test('a template message is told of as it goes: with its gateway, sent, delivered, read, each signed and in this order', async () => {
    await using t = await setup(queue, { headers: [{ key: 'X-Status', value: '{{status}}' }] });
    const { id } = await t.send({ kind: 'template', content: { template: TEMPLATE }, campaign: 'spring', clientRef: 'A-1' });

    await t.report(id, ['SENT', 'DELIVERED', 'READ']);
    await t.receiver.until((received) => received.length === 4);

    const [sent, ...statuses] = t.inOrder();
    const shown = {
      messageId: `${id}:1`,
      from: BUSINESS,
      to: CUSTOMER,
      status: 'Sent',
      kind: 'template',
      messageType: 'template',
      templateName: 'order_update',
      language: 'en_US',
      campaignName: 'spring',
      clientRef: 'A-1',
      gatewayName: GATEWAY,
      errCode: '000',
      statusDescription: 'Message sent',
      createdAt: expect.stringMatching(ISO),
    };
    expect(sent).toEqual({ type: 'message.sent', timestamp: expect.stringMatching(ISO), data: shown });
    expect(statuses).toEqual(
      ['Sent', 'Delivered', 'Read'].map((status) => ({
        type: 'message.status',
        timestamp: expect.stringMatching(ISO),
        data: { ...shown, status, statusDescription: status.toUpperCase() },
      })),
    );
    expect(t.statuses()).toEqual(['Sent', 'Delivered', 'Read']);
    for (const push of t.receiver.received) {
      expect(new Webhook(t.secret).verify(push.body, push.headers as Record<string, string>)).toEqual(push.report);
      expect(push.headers['x-status']).toBe(eventOf(push).data['status']);
    }
  });
});

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function setup(queue: QueueBackend, webhook: object = {}) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const p = started.use(await startPipeline({ queue, workers: ['dlr'] }));
  const source = await openDataSource({ url: p.databaseUrl, applicationName: 'test', poolSize: 3, commit: 'durable' });
  started.defer(() => source.destroy());
  const db = source.manager;
  const bell = await openProducer<ReportJob>(REPORT_QUEUE, { url: p.queue.QUEUE_URL, prefix: p.queue.QUEUE_PREFIX }, () => undefined);
  started.defer(() => closeProducer(bell));
  const addWebhook = async (settings: object): Promise<string> => {
    const { status, body } = await p.post('/v1/webhooks', { endPoint: `${receiver.url}/hook`, ...settings });
    expect(status).toBe(201);
    return (body['data'] as { secret: string }).secret;
  };
  const secret = await addWebhook({ name: 'events', channel: 'chatapp', ...webhook });
  const [{ accountId }] = await db.query('SELECT account_id AS "accountId" FROM webhook');
  const ring = (reportIds: string[]): Promise<unknown> => bell.add(REPORT_QUEUE, { reportIds });
  const all = started.move();
  return {
    p,
    db,
    receiver,
    secret,
    addWebhook,
    ring,
    /** A message that its gateway took. */
    send: async (given: Partial<NewSubmission> = {}): Promise<NewSubmission> => {
      const message = { channel: 'chatapp', kind: 'text', lane: 'CHAT', content: { text: { body: 'Hello' } } } as const;
      const submission = await accept(db, { ...message, accountId, sender: BUSINESS, recipients: [CUSTOMER], ...given });
      await fanOut(db, [submission.id], LEASE_SECONDS);
      const answer = { submissionId: submission.id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 } as const;
      await ring(await recordChatSubmits(db, GATEWAY, [answer]));
      return submission;
    },
    /** What the gateway reports of a message, a second apart, in one batch. */
    report: async (id: string, statuses: ReportedStatus[], given: Partial<NewReport> = {}): Promise<string[]> => {
      const reports = statuses.map((status, i) =>
        newReport(id, { gateway: GATEWAY, status, description: status, reportedAt: new Date(Date.now() + i * 1_000), ...given }),
      );
      await insertReports(db, reports);
      const ids = reports.map((report) => report.id);
      await ring(ids);
      return ids;
    },
    /** The events of all messages, by their place in the life of each. */
    inOrder: (): EventBody[] =>
      receiver.received.toSorted((a, b) => Number(a.headers['webhook-sequence']) - Number(b.headers['webhook-sequence'])).map(eventOf),
    /** The changes of status in the order in which they came. */
    statuses: (): unknown[] =>
      receiver.received
        .map(eventOf)
        .filter(({ type }) => type === 'message.status')
        .map(({ data }) => data['status']),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function eventOf({ body }: ReceivedPush): EventBody {
  return JSON.parse(body) as EventBody;
}
