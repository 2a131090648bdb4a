import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import { type WaitingPush, listWaitingPushes, markPulled } from '@signalbox/database/webhooks/pulled-pushes';
import {
  type ClaimedPush,
  type PushOutcome,
  claimPushes,
  recordPushes,
} from '@signalbox/database/webhooks/pushes';
import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import { eventStatus, renderChatPush } from '@signalbox/domain/chat/event';
import { messageId } from '@signalbox/domain/message-id';
import { toStorableText } from '@signalbox/domain/sanitize';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import { deliveryId, parseDeliveryId, sequenceOf } from '@signalbox/domain/webhooks/delivery-id';
import { type RenderedPush, renderPush, toDeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { type BatchItem, batchId, renderBatch, usableBatch } from '@signalbox/domain/webhooks/push-batch';
import { signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { openSecrets } from './open-secrets.ts';
import type { PullResultsRequest } from './pull.dto.ts';
import type { PullResultsView, PulledCallView } from './pull.view.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Seconds for which a pull claims its deliveries; without a result they are due again. */
export const PULL_SECONDS = 30;

/** Delay of a delivery whose message has an earlier status that waits. */
const BEHIND_MS = 500;

type CallResult = PullResultsRequest['results'][number];

const NO_TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

/** Hands the deliveries of a webhook to its owner, who makes the calls, for instance where no port may be open. */
@Injectable()
export class PullsService {
  constructor(
    private readonly db: EntityManager,
    private readonly webhooks: WebhooksService,
    private readonly sealer: Sealer,
    private readonly carriers: Carriers,
  ) {}

  /**
   * Claims the oldest due deliveries of a webhook, in the order of the statuses of each message. Disables the webhook.
   * A delivery without a result within PULL_SECONDS is due again, under the same id.
   *
   * @throws ApiError webhook_not_found; Error when its secret cannot be opened
   */
  async pull(accountId: string, webhookId: string, limit: number): Promise<PulledCallView[]> {
    const webhook = await this.webhooks.find(accountId, webhookId);
    const now = new Date();
    const secrets = openSecrets(this.sealer, webhook, now);
    if (!secrets) throw new Error('the secret of the webhook cannot be opened');
    await markPulled(this.db, webhookId);
    const claimed = await claimPushes(this.db, [{ webhookId, room: limit }], PULL_SECONDS);
    const behind = claimed.filter(({ behindMs }) => behindMs !== null);
    if (behind.length > 0) await recordPushes(this.db, [], behind.map(toBehind));
    return claimed
      .filter(({ behindMs }) => behindMs === null)
      .map((push) => this.callOf(webhook, push, secrets, now));
  }

  /**
   * Records results as those of the webhook's calls: a failed delivery is due again by the schedule. A repeat, or the
   * result of a delivery that does not wait, changes nothing.
   *
   * @throws ApiError webhook_not_found
   */
  async record(
    accountId: string,
    webhookId: string,
    { results }: PullResultsRequest,
  ): Promise<PullResultsView> {
    const webhook = await this.webhooks.find(accountId, webhookId);
    const byReport = new Map(results.flatMap((result) => entryOf(webhookId, result)));
    const waiting = await listWaitingPushes(this.db, webhookId, [...byReport.keys()]);
    const outcomes = waiting.map((push) => toOutcome(webhook, push, byReport.get(push.reportId)!));
    if (outcomes.length > 0) await recordPushes(this.db, [], outcomes);
    const count = (wanted: PushOutcome['status']): number =>
      outcomes.filter(({ status }) => status === wanted).length;
    return {
      delivered: count('DELIVERED'),
      retried: count('WAITING'),
      exhausted: count('EXHAUSTED'),
      ignored: results.length - outcomes.length,
    };
  }

  private callOf(
    webhook: Webhook,
    push: ClaimedPush,
    secrets: readonly KeyObject[],
    now: Date,
  ): PulledCallView {
    const id = deliveryId(push.reportId, webhook.id);
    const sequence = sequenceOf(push);
    const rendered = this.render(webhook, push);
    const { headers, body } = usableBatch(webhook)
      ? batchOf({ id, sequence, body: rendered.body ?? '' })
      : { headers: { 'webhook-id': id, 'webhook-sequence': String(sequence) }, body: rendered.body };
    const signature = signatureHeaders(secrets, headers['webhook-id'], now, { url: rendered.url, body });
    return {
      id,
      messageId: messageId(push.submissionId, push.n),
      attempt: push.attempts + 1,
      messageStatus: eventStatus(push.status),
      method: webhook.method,
      url: rendered.url,
      headers: { ...rendered.headers, ...headers, ...signature },
      body: body ?? null,
    };
  }

  private render(webhook: Webhook, push: ClaimedPush): RenderedPush {
    if (push.chat) return renderChatPush(webhook, { ...push, chat: push.chat });
    const operatorCircle = push.operatorCircle ?? this.carriers.nameOf(push.recipient);
    return renderPush(webhook, toDeliveryReport({ ...push, operatorCircle }));
  }
}

/** A batch of one, as the webhook's own calls would have it. */
function batchOf(item: BatchItem): { headers: { 'webhook-id': string }; body: string } {
  return { headers: { 'webhook-id': batchId([item]) }, body: renderBatch([item]).body };
}

/** The result with the report that it is about; none when its id names no delivery of the webhook. */
function entryOf(webhookId: string, result: CallResult): [string, CallResult][] {
  const key = parseDeliveryId(result.id);
  return key?.webhookId === webhookId ? [[key.reportId, result]] : [];
}

function toBehind({ reportId, webhookId, accountId, attempts }: ClaimedPush): PushOutcome {
  return {
    ...untried({ reportId, webhookId, accountId, attempts }),
    nextDelayMs: BEHIND_MS,
    error: 'behind',
  };
}

function toOutcome(
  { id: webhookId, accountId, schedule }: Webhook,
  { reportId, attempts, attemptsBefore }: WaitingPush,
  { responseStatus = null, error = 'no_answer', answer = '', durationMs }: CallResult,
): PushOutcome {
  const tried = {
    ...untried({ reportId, webhookId, accountId, attempts: attempts + 1 }),
    responseStatus,
    durationMs,
  };
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300)
    return { ...tried, status: 'DELIVERED' };
  const made = attempts + 1 - attemptsBefore;
  const nextDelayMs = nextPushDelayMs(made, Math.random(), 0, schedule) ?? null;
  return {
    ...tried,
    status: nextDelayMs === null ? 'EXHAUSTED' : 'WAITING',
    nextDelayMs,
    error: responseStatus === null ? toStorableText(error) : 'bad_status',
    answer: toStorableText(answer),
    failedAttempt: true,
  };
}

function untried(key: Pick<PushOutcome, 'reportId' | 'webhookId' | 'accountId' | 'attempts'>): PushOutcome {
  return {
    ...key,
    status: 'WAITING',
    nextDelayMs: null,
    responseStatus: null,
    error: null,
    durationMs: null,
    timings: NO_TIMINGS,
    answer: '',
    requestHeaders: null,
    failedAttempt: false,
  };
}
