import { type DynamicModule, Module } from '@nestjs/common';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { carriersProvider } from '@signalbox/messaging/worker/carriers-provider';
import { WorkerModule } from '@signalbox/messaging/worker/worker.module';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { Logger } from '@signalbox/runtime/logger';
import { PushAdmission } from './reports/push-admission.ts';
import { DuePusher } from './pushes/due-pusher.ts';
import { WebhookCalls } from './pushes/webhook-calls.ts';
import type { DlrWorkerConfig } from './config.ts';
import { DeferredReports } from './reports/deferred-reports.ts';
import { DLR_DUTIES } from './duties.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { PushResults } from './pushes/push-results.ts';
import { PushSequencer } from './pushes/push-sequencer.ts';
import { PushTargets } from './pushes/push-targets.ts';
import { PushTries } from './pushes/push-tries.ts';
import { FirstPusher } from './pushes/first-pusher.ts';
import { ReportApplier } from './reports/report.applier.ts';
import { reportProcessor } from './reports/report.processor.ts';
import { ReportSettler } from './reports/report-settler.ts';

/** An account may use four fifths of them: 256, the most that a webhook may have as its `maxInFlight`. */
const CONNECTIONS_PER_ORIGIN = 320;

/**
 * Maximum number of reports in progress of each queue: few enough that their pushes end within HAND_OFF_MS. A push that
 * has not ended by then is written to Postgres as in flight, and again when it ends, so a report that has to wait
 * costs less in its queue than in this process.
 */
const MAX_REPORTS = { OTP: 1_000, OTHER: 1_600, BULK: 500 };

/**
 * Applies reports to their messages, and pushes them to webhooks. The providers are in the order of the flow. The
 * `ReportSettler` runs a job: the `ReportApplier` moves the messages, `PushAdmission` plans the first pushes or leaves
 * them to `DeferredReports`, the `PushSequencer` keeps those of a message in order, and the `FirstPusher` makes them.
 * `PushTries` makes each try by a call in the lane of its endpoint. `PushResults` records the outcomes and settles the
 * reports. The `DuePusher` makes the later tries.
 */
@Module({
  providers: [
    reportProcessor(REPORT_QUEUES.OTP, MAX_REPORTS.OTP),
    reportProcessor(REPORT_QUEUES.OTHER, MAX_REPORTS.OTHER),
    reportProcessor(REPORT_QUEUES.BULK, MAX_REPORTS.BULK),
    ReportSettler,
    ReportApplier,
    PushAdmission,
    PushTargets,
    DeferredReports,
    PushSequencer,
    FirstPusher,
    PushTries,
    WebhookCalls,
    PushResults,
    DuePusher,
    Endpoints,
    carriersProvider(),
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
      closeInOrder: [DuePusher, DeferredReports, ReportApplier, PushTries, PushResults, Endpoints],
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
