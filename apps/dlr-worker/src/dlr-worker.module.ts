import { type DynamicModule, Module } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { WorkerModule } from '@signalbox/messaging/worker/worker.module';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { PushAdmission } from './reports/push-admission.ts';
import { Backlog } from './pushes/backlog.ts';
import { Calls } from './pushes/calls.ts';
import type { DlrWorkerConfig } from './config.ts';
import { DeferredReports } from './reports/deferred-reports.ts';
import { DLR_DUTIES } from './duties.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { PushResults } from './pushes/push-results.ts';
import { PushSequencer } from './pushes/push-sequencer.ts';
import { PushTargets } from './pushes/push-targets.ts';
import { PushTries } from './pushes/push-tries.ts';
import { Pusher } from './pushes/pusher.ts';
import { ReportApplier } from './reports/report.applier.ts';
import { reportProcessor } from './reports/report.processor.ts';
import { ReportPusher } from './reports/report-pusher.ts';

const CONNECTIONS_PER_ORIGIN = 320;

/**
 * Maximum number of jobs in progress of each queue: few enough that their pushes end within HAND_OFF_MS. A push that has
 * not ended by then is written to Postgres as waiting, claimed, and written again, so a report that has to wait costs
 * less in its queue than in this process.
 */
const CONCURRENCY = { OTP: 4, OTHER: 4, BULK: 2 };

@Module({
  providers: [
    reportProcessor(REPORT_QUEUES.OTP, CONCURRENCY.OTP),
    reportProcessor(REPORT_QUEUES.OTHER, CONCURRENCY.OTHER),
    reportProcessor(REPORT_QUEUES.BULK, CONCURRENCY.BULK),
    ReportPusher,
    ReportApplier,
    PushAdmission,
    DeferredReports,
    PushTargets,
    PushSequencer,
    Calls,
    PushTries,
    Pusher,
    PushResults,
    Endpoints,
    Backlog,
    { provide: Carriers, inject: [EntityManager], useFactory: (db: EntityManager) => Carriers.open(db) },
  ],
})
export class DlrWorkerModule {
  static with(config: DlrWorkerConfig, logger: Logger): DynamicModule {
    const worker = WorkerModule.with({
      name: 'dlr-worker',
      config,
      logger,
      commits: ['asynchronous'],
      fleet: 'dlr',
      consumes: [REPORT_QUEUES.OTP, REPORT_QUEUES.OTHER, REPORT_QUEUES.BULK],
      duties: DLR_DUTIES,
      // Calls that were handed off end first. Then their outcomes are recorded, and the health of their endpoints is
      // stored.
      closeInOrder: [Backlog, DeferredReports, ReportApplier, PushTries, PushResults, Endpoints],
    });
    const client = { provide: WebhookClient, useValue: openClient(config) };
    return { module: DlrWorkerModule, imports: [worker], providers: [client] };
  }
}

function openClient({ ALLOW_PRIVATE_WEBHOOKS }: DlrWorkerConfig): WebhookClient {
  return new WebhookClient({
    allowPrivate: ALLOW_PRIVATE_WEBHOOKS,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
}
