import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { ClaimedPush, PushOutcome } from '@signalbox/database/webhooks/pushes';
import { type ChatFacts, chatEventOf, eventChannelOf } from '@signalbox/domain/chat/event';
import { NO_GATEWAY } from '@signalbox/domain/ending';
import { wireStatus } from '@signalbox/domain/message-status';
import { pushedStatus } from '@signalbox/domain/webhooks/delivery-report';
import { type PushFilters, isWanted } from '@signalbox/domain/webhooks/push-filters';
import type { OpenTarget } from './open-target.ts';

/** A push to make. */
export interface PendingPush {
  report: AppliedReport;
  target: OpenTarget;
  /** Calls made so far. */
  attempts: number;
  /** Calls made before the last replay. */
  attemptsBefore: number;
  /**
   * Milliseconds until it is due again, because an earlier status of its message is not pushed yet; null when it may
   * be pushed now.
   */
  behindMs: number | null;
  /** True for a call that tests an endpoint whose breaker is open. */
  isProbe: boolean;
}

/** A push that is tried for the first time. */
export interface FirstPush extends PendingPush {
  /** First tries of earlier statuses of its message at this webhook, in progress in this process. */
  after: Promise<PushOutcome>[];
  /** The outcome of its first try, once known. */
  outcome: PushOutcome | undefined;
  /** Pushes of later statuses wait for it; undefined while none does. */
  awaited: PromiseWithResolvers<PushOutcome> | undefined;
}

/** Resolves with the outcome of a push's first try. */
export function outcomeOf(push: FirstPush): Promise<PushOutcome> {
  if (push.outcome) return Promise.resolve(push.outcome);
  push.awaited ??= Promise.withResolvers<PushOutcome>();
  return push.awaited.promise;
}

/** Sets the outcome of a push's first try. */
export function setOutcome(push: FirstPush, outcome: PushOutcome): void {
  push.outcome = outcome;
  push.awaited?.resolve(outcome);
}

/** The first pushes of a report: one per webhook of its account and channel that wants it. */
export function firstPushes(report: AppliedReport, targets: readonly OpenTarget[]): FirstPush[] {
  return targets.filter((target) => wants(target, report)).map((target) => firstPush(report, target));
}

function firstPush(report: AppliedReport, target: OpenTarget): FirstPush {
  return {
    report,
    target,
    attempts: 0,
    attemptsBefore: 0,
    behindMs: null,
    isProbe: false,
    after: [],
    outcome: undefined,
    awaited: undefined,
  };
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
  return channel === 'sms' && needsPush && passes(filters, report, pushedStatus(report.status));
}

/** Events of the kinds that the webhook asks for. Its status filter applies to status changes only. */
function wantsEvent(
  { channel, events, filters }: OpenTarget,
  report: AppliedReport,
  chat: ChatFacts,
): boolean {
  const event = chatEventOf(report.status);
  const status = event === 'message.status' ? wireStatus(report.status) : null;
  return channel === eventChannelOf(chat) && events.includes(event) && passes(filters, report, status);
}

function passes(filters: PushFilters, report: AppliedReport, status: string | null): boolean {
  const { lane, sender, recipient } = report;
  return isWanted(filters, { lane, status, sender, recipient });
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
