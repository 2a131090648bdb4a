import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { renderChatPush } from '@signalbox/domain/chat/event';
import { USER_AGENT } from '@signalbox/domain/user-agent';
import { deliveryId, sequenceOf } from '@signalbox/domain/webhooks/delivery-id';
import {
  type RenderedPush,
  compilePush,
  sentFields,
  toDeliveryReport,
} from '@signalbox/domain/webhooks/delivery-report';
import { batchId, renderBatch } from '@signalbox/domain/webhooks/push-batch';
import { signPush, signedPayload } from '@signalbox/domain/webhooks/push-signature';
import { type WebhookCall, parseDestination } from '@signalbox/gateways/webhook-call';
import type { CompiledTarget, OpenTarget } from './open-target.ts';
import type { PendingPush } from './pending-push.ts';

type CarrierOf = (recipient: string) => string | null;

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
  carrierOf: CarrierOf,
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

/** Returns the webhook as a call uses it: as it was read last. The pushes of a batch may hold different copies of it. */
export function newestOf(pushes: readonly Pick<PendingPush, 'target'>[]): OpenTarget {
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
  const headers = ['user-agent', USER_AGENT, 'content-type', 'application/json'];
  return { id, url: target.endPoint, headers, body, count };
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
