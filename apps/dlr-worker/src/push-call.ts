import type { KeyObject } from 'node:crypto';
import type { ClaimedPush, PushOutcome, WebhookTarget } from '@signalbox/database/webhooks/pushes';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { chatEventOf, renderChatPush } from '@signalbox/domain/chat/event';
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

/** A webhook made ready for a batch. */
export interface OpenTarget extends Omit<WebhookTarget, 'sealedSecret' | 'oldSecrets'> {
  /** The newest first; none when that was sealed with a key that this process does not have. */
  secrets: KeyObject[];
}

/** One push to make. */
export interface PushWork {
  report: AppliedReport;
  target: OpenTarget;
  /** Calls made so far, and how many of them before it was last replayed. */
  attempts: number;
  attemptsBefore: number;
  /** When to look again, while an earlier status of its message has still to be told; null when it may be called. */
  behindMs: number | null;
  /** Whether it is called although the breaker of its end point is open, to find out how that is. */
  isProbe: boolean;
}

/** A push that is made for the first time. */
export interface FirstPush extends PushWork {
  /** How the first tries of earlier statuses of its message at this webhook go that are under way here. */
  after: Promise<PushOutcome>[];
  /** How its first try goes. */
  outcome: PromiseWithResolvers<PushOutcome>;
}

/** Makes a webhook ready. */
export function openTarget(
  { sealedSecret: _, oldSecrets: __, ...target }: WebhookTarget,
  secrets: KeyObject[],
): OpenTarget {
  return { ...target, secrets };
}

/** The first pushes that a report calls for: one per webhook of its account and channel that wants it. */
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
    wantsGateway(target, report) && (report.chat ? wantsEvent(target, report) : wantsSms(target, report))
  );
}

/** A status that ends the wait is pushed, Sent where the webhook asks for it, and another one on the way is not (decisions, Webhooks). */
function wantsSms({ channel, intermediate, filters }: OpenTarget, report: AppliedReport): boolean {
  const needsPush = report.isFinal || (intermediate && report.status === 'SENT');
  return (
    channel === 'sms' && needsPush && isWanted(filters, { ...report, status: pushedStatus(report.status) })
  );
}

/** Each event of the kinds that the webhook asks for; its filter by status concerns the changes of status only. */
function wantsEvent({ channel, events, filters }: OpenTarget, report: AppliedReport): boolean {
  const event = chatEventOf(report.status);
  const status = event === 'message.status' ? wireStatus(report.status) : null;
  return channel === 'chatapp' && events.includes(event) && isWanted(filters, { ...report, status });
}

/** A message that ended before any gateway had it is told of to all. */
function wantsGateway({ provider }: OpenTarget, { gateway }: AppliedReport): boolean {
  return provider === 'any' || provider === gateway || gateway === NO_GATEWAY;
}

/** A push that was claimed for a later try; undefined when its webhook is gone. */
export function laterPush(
  push: ClaimedPush,
  targets: readonly OpenTarget[],
  isProbe: boolean,
): PushWork | undefined {
  const target = targets.find(({ id }) => id === push.webhookId);
  const { attempts, attemptsBefore, behindMs } = push;
  return target && { report: push, target, attempts, attemptsBefore, behindMs, isProbe };
}

/**
 * The signed call of a push (Standard Webhooks). Its webhook-id stays the same over all tries; its webhook-sequence grows from each
 * status of a message to the next, from 1: that it is with its gateway is told beside these, as 0.
 *
 * @throws Error when the webhook's secret cannot be read
 */
export function signedCall(
  { report, target }: PushWork,
  now: Date,
): RenderedPush & { method: 'GET' | 'POST' } {
  if (target.secrets.length === 0) throw new Error('secret_unreadable');
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
