import type { Delivery, FailedAttempt } from '@signalbox/database/webhooks/deliveries';
import type { PushTimings } from '@signalbox/database/webhooks/pushes';
import { chatEventOf, eventStatus } from '@signalbox/domain/chat/event';
import { messageId } from '@signalbox/domain/message-id';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { CHAT_EVENTS } from '@signalbox/domain/webhooks/push-filters';
import { type Static, Type } from 'typebox';
import {
  ID,
  MESSAGE_ID,
  MILLISECONDS,
  RECIPIENT,
  TEXT,
  TIME,
  model,
  nullable,
  oneOf,
} from '../docs/model.ts';
import { TIMINGS } from './timings.ts';

const AttemptView = model('DeliveryAttempt', 'One call of a delivery.', {
  at: TIME,
  responseStatus: nullable(Type.Integer()),
  error: nullable(TEXT, 'Reason for a failure; null for a success.'),
  durationMs: MILLISECONDS,
  timings: TIMINGS,
  answer: nullable(TEXT, 'Start of the response to a failed call; null for a success.'),
  requestHeaders: nullable(Type.Record(Type.String(), TEXT), 'Headers of a failed call; null for a success.'),
});
type AttemptView = Static<typeof AttemptView>;

export const DeliveryView = model('Delivery', 'A push of one report to one webhook, with every call.', {
  id: TEXT,
  webhookId: ID,
  messageId: MESSAGE_ID,
  recipient: RECIPIENT,
  event: nullable(oneOf(CHAT_EVENTS), 'Null for an SMS report.'),
  messageStatus: TEXT,
  status: TEXT,
  reason: nullable(TEXT, 'Reason for waiting or giving up; null once delivered.'),
  nextAttemptAt: nullable(
    TIME,
    'When the next call is due, and the breaker allows it; null without one, or while the webhook is disabled.',
  ),
  createdAt: TIME,
  finishedAt: nullable(TIME),
  attempts: Type.Array(AttemptView),
});
export type DeliveryView = Static<typeof DeliveryView>;

/** @param failed the failed calls; the push itself holds the successful one */
export function deliveryView(delivery: Delivery, failed: FailedAttempt[]): DeliveryView {
  const { reportId, webhookId, channel, submissionId, n, recipient, reportStatus, status, error } = delivery;
  const { nextAttemptAt, createdAt, finishedAt } = delivery;
  return {
    id: deliveryId(reportId, webhookId),
    webhookId,
    messageId: messageId(submissionId, n),
    recipient,
    event: channel === 'chatapp' || reportStatus === 'RECEIVED' ? chatEventOf(reportStatus) : null,
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
