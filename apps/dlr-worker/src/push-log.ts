import { observePush } from '@signalbox/messaging/message-metrics';
import { tracePush } from '@signalbox/messaging/message-traces';
import type { Logger } from '@signalbox/runtime/logger';
import { Counter, Histogram } from 'prom-client';
import type { PendingPush } from './pending-push.ts';
import type { CallResult } from './push-outcome.ts';

const calls = new Counter({
  name: 'signalbox_pushes_total',
  help: 'Webhook calls by outcome',
  labelNames: ['outcome'],
});
const delivered = calls.labels('delivered');
const failed = calls.labels('failed');
const seconds = new Histogram({
  name: 'signalbox_push_seconds',
  help: 'Duration of webhook calls, by outcome',
  labelNames: ['outcome'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});
const deliveredSeconds = seconds.labels('delivered');
const failedSeconds = seconds.labels('failed');

/** Counts a webhook call. */
export function countCall({ ok, durationMs }: CallResult): void {
  (ok ? delivered : failed).inc();
  (ok ? deliveredSeconds : failedSeconds).observe(durationMs / 1000);
}

/**
 * Logs, traces and measures a push after its call.
 *
 * @param attempt number of calls of the push, with this one
 */
export function logPush(
  logger: Logger,
  { report, target }: PendingPush,
  { ok, status, error, durationMs }: CallResult,
  attempt: number,
): void {
  const outcome = ok ? 'delivered' : 'failed';
  if (ok) observePush(report.reportId);
  tracePush(report, { webhookId: target.id, attempt, status, error, durationMs });
  if (!logger.isLevelEnabled('info')) return;
  const { accountId, reportId, submissionId, n } = report;
  logger.routine(
    {
      accountId,
      webhookId: target.id,
      reportId,
      submissionId,
      n,
      attempt,
      outcome,
      status,
      errCode: error,
      durationMs,
    },
    'webhook.pushed',
  );
}
