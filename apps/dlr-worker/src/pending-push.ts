import type { KeyObject } from 'node:crypto';
import type { ClaimedPush, PushOutcome, WebhookTarget } from '@signalbox/database/webhooks/pushes';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { type ChatFacts, chatEventOf, eventChannelOf, renderChatPush } from '@signalbox/domain/chat/event';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import {
  type RenderedPush,
  pushedStatus,
  renderPush,
  toDeliveryReport,
} from '@signalbox/domain/webhooks/delivery-report';
import { NO_GATEWAY } from '@signalbox/domain/ending';
import { wireStatus } from '@signalbox/domain/message-status';
import { isWanted } from '@signalbox/domain/webhooks/push-filters';
import { signatureHeaders } from '@signalbox/domain/webhooks/push-signature';

/** A webhook with opened secrets. */
export interface OpenTarget extends Omit<WebhookTarget, 'sealedSecret' | 'oldSecrets'> {
  /** The newest first; empty when the newest cannot be opened, or the settings of the webhook are invalid. */
  secrets: KeyObject[];
}

/** A push to make. */
export interface PendingPush {
  report: AppliedReport;
  target: OpenTarget;
  /** Calls made so far. */
  attempts: number;
  /** Calls made before the last replay. */
  attemptsBefore: number;
  /**
   * Milliseconds until the next look, while an earlier status of its message is not pushed yet; null when it may be
   * called.
   */
  behindMs: number | null;
  /** True for a call that tests an endpoint whose breaker is open. */
  isProbe: boolean;
}

/** A push that is tried for the first time. */
export interface FirstPush extends PendingPush {
  /** First tries of earlier statuses of its message at this webhook, in progress in this process. */
  after: Promise<PushOutcome>[];
  /** Resolved with the outcome of its first try. */
  outcome: PromiseWithResolvers<PushOutcome>;
}

export function openTarget(
  { sealedSecret: _, oldSecrets: __, ...target }: WebhookTarget,
  secrets: KeyObject[],
): OpenTarget {
  return { ...target, secrets };
}

/** The first pushes of a report: one per webhook of its account and channel that wants it. */
export function firstPushes(report: AppliedReport, targets: readonly OpenTarget[]): FirstPush[] {
  const fresh = { attempts: 0, attemptsBefore: 0, behindMs: null, isProbe: false };
  return targets.flatMap((target) =>
    wants(target, report)
      ? [{ report, target, ...fresh, after: [], outcome: Promise.withResolvers<PushOutcome>() }]
      : [],
  );
}

function wants(target: OpenTarget, report: AppliedReport): boolean {
  return (
    wantsGateway(target, report) &&
    (report.chat ? wantsEvent(target, report, report.chat) : wantsSms(target, report))
  );
}

/** Final statuses are pushed; Sent only if the webhook asks for it; other intermediate ones never. */
function wantsSms({ channel, intermediate, filters }: OpenTarget, report: AppliedReport): boolean {
  const needsPush = report.isFinal || (intermediate && report.status === 'SENT');
  return (
    channel === 'sms' && needsPush && isWanted(filters, { ...report, status: pushedStatus(report.status) })
  );
}

/** Events of the kinds that the webhook asks for. Its status filter applies to status changes only. */
function wantsEvent(
  { channel, events, filters }: OpenTarget,
  report: AppliedReport,
  chat: ChatFacts,
): boolean {
  const event = chatEventOf(report.status);
  const status = event === 'message.status' ? wireStatus(report.status) : null;
  return (
    channel === eventChannelOf(chat) && events.includes(event) && isWanted(filters, { ...report, status })
  );
}

/** A message that ended before it reached a gateway is pushed to the webhooks of every provider. */
function wantsGateway({ provider }: OpenTarget, { gateway }: AppliedReport): boolean {
  return provider === 'any' || provider === gateway || gateway === NO_GATEWAY;
}

/** A claimed push as a later try; undefined when its webhook was deleted. */
export function laterPush(
  push: ClaimedPush,
  targets: readonly OpenTarget[],
  isProbe: boolean,
): PendingPush | undefined {
  const target = targets.find(({ id }) => id === push.webhookId);
  const { attempts, attemptsBefore, behindMs } = push;
  return target && { report: push, target, attempts, attemptsBefore, behindMs, isProbe };
}

/**
 * Renders and signs the call of a push (Standard Webhooks). The webhook-id is the same in every try. The
 * webhook-sequence counts the statuses of a message from 1; `SUBMITTED` has 0.
 *
 * @throws Error when the webhook's secret cannot be opened, or its settings are invalid
 */
export function signedCall(
  { report, target }: Pick<PendingPush, 'report' | 'target'>,
  now: Date,
): RenderedPush & { method: 'GET' | 'POST' } {
  if (target.secrets.length === 0)
    throw new Error('the secret or the settings of the webhook are unreadable');
  const { chat } = report;
  const rendered = chat
    ? renderChatPush(target, { ...report, chat })
    : renderPush(target, toDeliveryReport(report));
  const id = deliveryId(report.reportId, target.id);
  const sequence = {
    'webhook-sequence': report.status === 'SUBMITTED' ? '0' : String((report.earlier?.length ?? 0) + 1),
  };
  const headers = {
    ...rendered.headers,
    ...signatureHeaders(target.secrets, id, now, rendered),
    ...sequence,
  };
  return { method: target.method, ...rendered, headers };
}
