import type { Delivery, FailedAttempt } from '@signalbox/database/webhooks/deliveries';
import type { PushTimings } from '@signalbox/database/webhooks/pushes';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { chatEventOf, eventStatus } from '@signalbox/domain/chat/event';
import { messageId } from '@signalbox/domain/message-id';
import type { ChatEvent } from '@signalbox/domain/webhooks/push-filters';

/** One call of a delivery. */
interface AttemptView {
  at: string;
  responseStatus: number | null;
  /** Reason for a failure; null for a success. */
  error: string | null;
  durationMs: number;
  timings: PushTimings;
  /** Start of the answer to a failed call, and the headers of that call; null for a success. */
  answer: string | null;
  requestHeaders: Record<string, string> | null;
}

/** A push of one report to one webhook, with every call. */
export interface DeliveryView {
  id: string;
  webhookId: string;
  messageId: string;
  recipient: string;
  /** Null for an SMS report. */
  event: ChatEvent | null;
  messageStatus: string;
  status: string;
  /** Reason for waiting or giving up; null once delivered. */
  reason: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  finishedAt: string | null;
  attempts: AttemptView[];
}

/** @param failed the failed calls; the push itself holds the successful one */
export function deliveryView(delivery: Delivery, failed: FailedAttempt[]): DeliveryView {
  const { reportId, webhookId, channel, submissionId, n, recipient, reportStatus, status, error } = delivery;
  const { nextAttemptAt, createdAt, finishedAt } = delivery;
  return {
    id: deliveryId(reportId, webhookId),
    webhookId,
    messageId: messageId(submissionId, n),
    recipient,
    event: channel === 'chatapp' ? chatEventOf(reportStatus) : null,
    messageStatus: eventStatus(reportStatus),
    status: status.toLowerCase(),
    reason: status === 'DELIVERED' ? null : error,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    attempts: [
      ...failed.map(attemptView),
      ...(status === 'DELIVERED' && finishedAt ? [successView(delivery, finishedAt)] : []),
    ],
  };
}

function attemptView({
  at,
  responseStatus,
  error,
  durationMs,
  answer,
  requestHeaders,
  ...timings
}: FailedAttempt): AttemptView {
  return {
    at: at.toISOString(),
    responseStatus,
    error,
    durationMs,
    timings: timingsOf(timings),
    answer,
    requestHeaders,
  };
}

function successView(delivery: Delivery, at: Date): AttemptView {
  const { responseStatus, durationMs } = delivery;
  return {
    at: at.toISOString(),
    responseStatus,
    durationMs: durationMs ?? 0,
    timings: timingsOf(delivery),
    error: null,
    answer: null,
    requestHeaders: null,
  };
}

function timingsOf({ dnsMs, connectMs, tlsMs, firstByteMs }: PushTimings): PushTimings {
  return { dnsMs, connectMs, tlsMs, firstByteMs };
}
