import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { openDataSource } from '@signalbox/database/core/data-source';
import { fanOut } from '@signalbox/database/submissions/submissions';
import type { SmsLane } from '@signalbox/domain/lane';
import { messageId } from '@signalbox/domain/message-id';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { Gateways } from '@signalbox/messaging/gateways/gateways';
import { OutcomeCounts } from '@signalbox/messaging/gateways/outcome-counts';
import { ReportIntake } from '@signalbox/messaging/reports/report-intake';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger, nestLogger } from '@signalbox/runtime/logger';
import { DlrWorkerConfig } from '../src/config.ts';
import { DlrWorkerModule } from '../src/dlr-worker.module.ts';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createDatabase } from '@signalbox/test/database';
import { type QueueBackend, describeOnEachQueue } from '@signalbox/test/queue';
import { accept } from '@signalbox/test/rows';

const SILENT = createLogger('test', 'silent');
const AHEAD = 20_000;
const RECIPIENTS = Array.from({ length: 500 }, (_, i) => String(919_800_000_000 + i));

describeOnEachQueue((queue) => {
  test.each([
    ['a code', 'OTP'],
    ['a single message', 'TRANS'],
  ] as const)('the report of %s is applied before 20,000 reports of a promotion', async (_name, lane) => {
    await using t = await setup(queue);
    const promotion = await t.send('PROMO', RECIPIENTS);
    const single = await t.send(lane, ['919800000900']);
    for (let i = 0; i < AHEAD / RECIPIENTS.length; i += 1)
      await t.receive(RECIPIENTS.map((_, n) => deliveredReport(promotion, n + 1)));
    await t.receive([deliveredReport(single, 1)]);

    await t.startWorker();
    await waitFor(async () => (await t.countOpen(single)) === 0, {
      otherwise: 'the report of the single message is open',
    });

    expect(await t.countOpen(promotion)).toBeGreaterThan(AHEAD / 2);
  });
});

function deliveredReport(submissionId: string, n: number): GatewayReport {
  return {
    messageId: messageId(submissionId, n),
    status: 'DELIVERED',
    errCode: '000',
    description: 'Message delivered',
    reportedAt: new Date(),
  };
}

async function setup(backend: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const { url } = started.use(await createDatabase());
  const source = await openDataSource({ url, applicationName: 'test', poolSize: 5, commit: 'durable' });
  started.defer(() => source.destroy());
  const db = source.manager;
  const settings = backend.settings(url);
  const reportQueues = Object.values(REPORT_QUEUES);
  const queues = await Queues.open(
    reportQueues,
    { url: settings.QUEUE_URL, prefix: settings.QUEUE_PREFIX },
    SILENT,
  );
  const intake = new ReportIntake(
    db,
    queues,
    { onOpen: () => undefined, find: () => undefined } as unknown as Gateways,
    new OutcomeCounts(),
    SILENT,
  );
  const all = started.move();
  return {
    send: async (lane: SmsLane, recipients: string[]): Promise<string> => {
      const { id } = await accept(db, { lane, recipients });
      await fanOut(db, [id], 60);
      return id;
    },
    receive: (reports: GatewayReport[]) => intake.receive('simulator', reports),
    startWorker: async () => {
      await queues.close(); // every job is in its queue
      const env = {
        PORT: '0',
        DATABASE_URL: url,
        ...settings,
        SECRETS_KEY: randomBytes(32).toString('base64'),
      };
      const context = await NestFactory.createApplicationContext(
        DlrWorkerModule.with(loadConfig(DlrWorkerConfig, env), SILENT),
        { logger: nestLogger(SILENT), abortOnError: false },
      );
      all.defer(() => context.close());
    },
    countOpen: async (submissionId: string): Promise<number> => {
      const [row]: [{ count: number }] = await db.query(
        'SELECT count(*)::integer AS count FROM message_event WHERE submission_id = $1 AND settled_at IS NULL',
        [submissionId],
      );
      return row.count;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
