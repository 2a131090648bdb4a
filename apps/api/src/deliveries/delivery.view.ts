import {
  type Delivery,
  type EndpointStats,
  type FailedAttempt,
  MAX_BACKLOG,
  SAMPLED_DELIVERIES,
} from '@signalbox/database/webhooks/deliveries';
import type { PushTimings } from '@signalbox/database/webhooks/pushes';
import { MAX_COUNTED, type Replay } from '@signalbox/database/webhooks/replays';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { chatEventOf, eventStatus } from '@signalbox/domain/chat/event';
import { messageId } from '@signalbox/domain/message-id';
import type { ChatEvent } from '@signalbox/domain/webhooks/push-filters';

/** One call of a delivery. */
interface AttemptView {
  at: string;
  responseStatus: number | null;
  /** Why it failed; null for success. */
  error: string | null;
  durationMs: number;
  timings: PushTimings;
  /** The start of what a failed call was answered, and the headers it was made with. */
  answer: string | null;
  requestHeaders: Record<string, string> | null;
}

/** A push of one report to one webhook, and each call that was made. */
export interface DeliveryView {
  id: string;
  webhookId: string;
  messageId: string;
  recipient: string;
  /** Null for the report of an SMS. */
  event: ChatEvent | null;
  messageStatus: string;
  status: string;
  /** Why it waits, or was given up. */
  reason: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  finishedAt: string | null;
  attempts: AttemptView[];
}

/** A delivery as the API shows it. The calls that failed have rows of their own; the one that succeeded is in the push. */
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
  const told = { error: null, answer: null, requestHeaders: null };
  return {
    at: at.toISOString(),
    responseStatus,
    durationMs: durationMs ?? 0,
    timings: timingsOf(delivery),
    ...told,
  };
}

function timingsOf({ dnsMs, connectMs, tlsMs, firstByteMs }: PushTimings): PushTimings {
  return { dnsMs, connectMs, tlsMs, firstByteMs };
}

/** How an end point does. */
export interface EndpointStatsView {
  breaker: 'closed' | 'open';
  openUntil: string | null;
  failuresInRow: number;
  failingSince: string | null;
  /** Deliveries that wait, counted up to `backlogCountedTo`. */
  backlog: number;
  backlogCountedTo: number;
  nextAttemptAt: string | null;
  /** Of the latest deliveries that were tried. */
  latest: {
    deliveries: number;
    countedTo: number;
    delivered: number;
    exhausted: number;
    /** Calls that succeeded, of all; null when there were none. */
    successRate: number | null;
    /** How long calls that succeeded took. */
    p50Ms: number | null;
    p95Ms: number | null;
  };
}

export function endpointStatsView(stats: EndpointStats): EndpointStatsView {
  const {
    failuresInRow,
    failingSince,
    openLevel,
    openUntil,
    backlog,
    nextAttemptAt,
    sampled,
    delivered,
    exhausted,
    failedCalls,
  } = stats;
  const calls = delivered + failedCalls;
  return {
    breaker: openLevel > 0 ? 'open' : 'closed',
    openUntil: openUntil?.toISOString() ?? null,
    failuresInRow,
    failingSince: failingSince?.toISOString() ?? null,
    backlog,
    backlogCountedTo: MAX_BACKLOG,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    latest: {
      deliveries: sampled,
      countedTo: SAMPLED_DELIVERIES,
      delivered,
      exhausted,
      successRate: calls === 0 ? null : Math.round((delivered / calls) * 10_000) / 10_000,
      p50Ms: stats.p50Ms,
      p95Ms: stats.p95Ms,
    },
  };
}

/** Deliveries that are made again, and how far that is. A preview has neither id nor status. */
export interface ReplayView {
  id: string | null;
  webhookId: string;
  status: string | null;
  from: string;
  to: string;
  statuses: string[];
  ratePerSecond: number;
  /** Counted up to `countedTo` when it began. */
  total: number;
  countedTo: number;
  replayed: number;
  createdAt: string;
  finishedAt: string | null;
}

export function replayView({
  from,
  to,
  statuses,
  createdAt,
  finishedAt,
  status,
  ...rest
}: Replay): ReplayView {
  return {
    ...rest,
    status: status.toLowerCase(),
    from: from.toISOString(),
    to: to.toISOString(),
    statuses: statuses.map((each) => each.toLowerCase()),
    countedTo: MAX_COUNTED,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
