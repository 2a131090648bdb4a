import type { KeyObject } from 'node:crypto';
import type { ClaimedPush, PushOutcome, WebhookTarget } from '@signalbox/database/webhooks/pushes';
import type { AppliedReport } from '@signalbox/database/reports/reports';
import { type ChatFacts, chatEventOf, eventChannelOf, renderChatPush } from '@signalbox/domain/chat/event';
import { deliveryId, sequenceOf } from '@signalbox/domain/webhooks/delivery-id';
import {
  type RenderedPush,
  compilePush,
  pushedStatus,
  sentFields,
  toDeliveryReport,
} from '@signalbox/domain/webhooks/delivery-report';
import { NO_GATEWAY } from '@signalbox/domain/ending';
import { wireStatus } from '@signalbox/domain/message-status';
import { batchId, renderBatch, usableBatch } from '@signalbox/domain/webhooks/push-batch';
import { type PushFilters, isWanted } from '@signalbox/domain/webhooks/push-filters';
import { signPush, signedPayload } from '@signalbox/domain/webhooks/push-signature';
import { type Destination, type WebhookCall, parseDestination } from '@signalbox/gateways/webhook-call';

/** A webhook as it was read, with opened secrets. Several pushes share one. */
export interface OpenTarget extends Omit<WebhookTarget, 'sealedSecret' | 'oldSecrets'> {
  /** The newest first; empty when the newest cannot be opened, or the settings of the webhook are invalid. */
  secrets: KeyObject[];
  /** When it was read from the database, as `Date.now()`. */
  readAt: number;
  /** Made for the first call. */
  compiled?: CompiledTarget;
}

/** The part of a webhook's calls that is the same in each. */
interface CompiledTarget {
  render: (report: AppliedReport) => RenderedPush;
  /** Undefined for a GET, whose URL holds the report. */
  destination: Destination | undefined;
  /** Is true when a call shows the carrier of its recipient. */
  namesCarrier: boolean;
  owner: { accountId: string; webhookId: string };
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

export function openTarget(
  { sealedSecret: _, oldSecrets: __, ...target }: WebhookTarget,
  secrets: KeyObject[],
): OpenTarget {
  return { ...target, batch: usableBatch(target), secrets, readAt: Date.now() };
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

/** A call of a push: `headers` alternate names and values. */
export type SignedCall = WebhookCall & { headers: string[] };

/**
 * Renders and signs the call of a push, or of several in their order to a webhook that takes batches (Standard
 * Webhooks). The webhook-id of a push is the same in every try. The webhook-sequence counts the statuses of a message
 * from 1; `SUBMITTED` has 0.
 *
 * @param carrierOf names the carrier of a recipient, where the gateway has not
 * @returns also the number of pushes in it, from the first
 * @throws Error when the webhook's secret cannot be opened, or its settings are invalid
 */
export function signedCall(
  pushes: readonly Pick<PendingPush, 'report' | 'target'>[],
  nowMs: number,
  carrierOf: (recipient: string) => string | null,
): { call: SignedCall; count: number } {
  const target = newestOf(pushes);
  if (target.secrets.length === 0)
    throw new Error('the secret or the settings of the webhook are unreadable');
  const { destination, owner } = (target.compiled ??= compile(target));
  const { id, url, headers, body, count } = target.batch
    ? batchCall(target, pushes, carrierOf)
    : plainCall(target, pushes[0]!.report, carrierOf);
  const timestamp = Math.floor(nowMs / 1000);
  headers.push('webhook-id', id, 'webhook-timestamp', String(timestamp));
  headers.push('webhook-signature', signPush(target.secrets, id, timestamp, signedPayload({ url, body })));
  return { call: { method: target.method, url, destination, headers, body, owner }, count };
}

/** Returns the webhook as it was read last, since the pushes of a batch may hold different copies of it. */
function newestOf(pushes: readonly Pick<PendingPush, 'target'>[]): OpenTarget {
  let { target } = pushes[0]!;
  for (const push of pushes) if (push.target.readAt > target.readAt) target = push.target;
  return target;
}

/** A call that is not signed yet; `headers` alternate names and values. */
interface UnsignedCall {
  id: string;
  url: string;
  headers: string[];
  body: string | undefined;
  /** The number of reports in it. */
  count: number;
}

type CarrierOf = (recipient: string) => string | null;

function plainCall(target: OpenTarget, report: AppliedReport, carrierOf: CarrierOf): UnsignedCall {
  const { url, headers, body } = render(target, report, carrierOf);
  const all: string[] = [];
  for (const name in headers) all.push(name, headers[name]!);
  all.push('webhook-sequence', String(sequenceOf(report)));
  return { id: deliveryId(report.reportId, target.id), url, headers: all, body, count: 1 };
}

function batchCall(
  target: OpenTarget,
  pushes: readonly Pick<PendingPush, 'report'>[],
  carrierOf: CarrierOf,
): UnsignedCall {
  const items = pushes.map(({ report }) => ({
    id: deliveryId(report.reportId, target.id),
    sequence: sequenceOf(report),
    body: render(target, report, carrierOf).body!,
  }));
  const { body, count } = renderBatch(items);
  const id = batchId(items.slice(0, count));
  return { id, url: target.endPoint, headers: ['content-type', 'application/json'], body, count };
}

function render(target: OpenTarget, report: AppliedReport, carrierOf: CarrierOf): RenderedPush {
  const compiled = (target.compiled ??= compile(target));
  const named =
    compiled.namesCarrier && report.operatorCircle === null
      ? { ...report, operatorCircle: carrierOf(report.recipient) }
      : report;
  return compiled.render(named);
}

function compile(target: OpenTarget): CompiledTarget {
  const renderSms = compilePush(target);
  return {
    render: (report) =>
      report.chat
        ? renderChatPush(target, { ...report, chat: report.chat })
        : renderSms(toDeliveryReport(report)),
    destination: target.method === 'GET' ? undefined : parseDestination(target.endPoint),
    namesCarrier: sentFields(target).includes('operatorCircle'),
    owner: { accountId: target.accountId, webhookId: target.id },
  };
}
