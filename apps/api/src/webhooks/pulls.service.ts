import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Carriers } from '@signalbox/database/ops/carriers';
import { type WaitingPush, lockWaitingPushes, markPulled } from '@signalbox/database/webhooks/pulled-pushes';
import {
  type ClaimedPush,
  type PushOutcome,
  claimPushes,
  recordPushes,
} from '@signalbox/database/webhooks/pushes';
import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import { eventStatus, renderChatPush } from '@signalbox/domain/chat/event';
import { messageId } from '@signalbox/domain/message-id';
import { OnceAMinute } from '@signalbox/domain/once-a-minute';
import { toStorableText } from '@signalbox/domain/sanitize';
import { nextPushDelayMs } from '@signalbox/domain/webhooks/backoff';
import { deliveryId, parseDeliveryId, sequenceOf } from '@signalbox/domain/webhooks/delivery-id';
import { type RenderedPush, renderPush, toDeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { type BatchItem, batchId, renderBatch, usableBatch } from '@signalbox/domain/webhooks/push-batch';
import { signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { withAudit } from '../auth/audit-trail.ts';
import type { Caller } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { openSecrets } from './open-secrets.ts';
import type { PullResultsRequest } from './pull.dto.ts';
import type { PullResultsView, PulledCallView } from './pull.view.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Seconds for which a pull claims its deliveries; without a result they are due again. */
export const PULL_SECONDS = 30;

/** A delivery is never given up because its pulls had no result: the caller may have died as often. */
const COUNTED_PULLS = 1;

type CallResult = PullResultsRequest['results'][number];

const NO_TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

/** Hands the deliveries of a webhook to its owner, who makes the calls, for instance where no port may be open. */
@Injectable()
export class PullsService {
  private readonly alarms = new OnceAMinute(() => performance.now());

  constructor(
    private readonly db: EntityManager,
    private readonly webhooks: WebhooksService,
    private readonly sealer: Sealer,
    private readonly carriers: Carriers,
    private readonly logger: Logger,
  ) {}

  /**
   * Claims the oldest due deliveries of a webhook, in the order of the statuses of each message. Disables the webhook.
   * A delivery without a result within PULL_SECONDS is due again, under the same id.
   *
   * @throws ApiError webhook_not_found, secret_unreadable
   */
  async pull(caller: Caller, webhookId: string, limit: number): Promise<PulledCallView[]> {
    const webhook = await this.webhooks.find(caller.accountId, webhookId);
    const now = new Date();
    const secrets = this.requireSecrets(webhook, now);
    await withAudit(this.db, caller, (db) => markPulled(db, webhookId));
    const claimed = await claimPushes(this.db, [{ webhookId, room: limit }], PULL_SECONDS, COUNTED_PULLS);
    const taken = claimed.map((push) =>
      push.behindMs === null ? this.tryCallOf(webhook, push, secrets, now) : toBehind(push, push.behindMs),
    );
    const outcomes = taken.filter((each) => 'nextDelayMs' in each);
    if (outcomes.length > 0) await recordPushes(this.db, [], outcomes);
    return taken.filter((each) => 'headers' in each);
  }

  /**
   * Records results as those of the webhook's calls: a failed delivery is due again by the schedule. A failure of a
   * delivery that was not pulled since its last result, such as a repeat, changes nothing, and neither does the result
   * of one that does not wait.
   *
   * @throws ApiError webhook_not_found
   */
  async record(caller: Caller, webhookId: string, { results }: PullResultsRequest): Promise<PullResultsView> {
    const webhook = await this.webhooks.find(caller.accountId, webhookId);
    const byReport = new Map(results.flatMap((result) => entryOf(webhookId, result)));
    const outcomes = await withAudit(this.db, caller, async (db) => {
      const waiting = await lockWaitingPushes(db, webhookId, [...byReport.keys()]);
      const known = waiting
        .map((push) => ({ push, result: byReport.get(push.reportId)! }))
        .filter(({ push, result }) => push.isClaimed || isSuccess(result))
        .map(({ push, result }) => toOutcome(webhook, push, result));
      if (known.length > 0) await recordPushes(db, [], known);
      return known;
    });
    const count = (wanted: PushOutcome['status']): number =>
      outcomes.filter(({ status }) => status === wanted).length;
    return {
      delivered: count('DELIVERED'),
      retried: count('WAITING'),
      exhausted: count('EXHAUSTED'),
      ignored: results.length - outcomes.length,
    };
  }

  /** Logs a webhook without a secret once a minute: its caller may pull many times a second. */
  private requireSecrets(webhook: Webhook, now: Date): KeyObject[] {
    const secrets = openSecrets(this.sealer, webhook, now);
    if (secrets) return secrets;
    if (this.alarms.isDue(webhook.id))
      this.logger.error({ table: 'webhook', id: webhook.id }, 'secret.unreadable');
    throw new ApiError('secret_unreadable');
  }

  /** The call of a delivery; for one that cannot be rendered, the outcome of a failed attempt. */
  private tryCallOf(
    webhook: Webhook,
    push: ClaimedPush,
    secrets: readonly KeyObject[],
    now: Date,
  ): PulledCallView | PushOutcome {
    try {
      return this.callOf(webhook, push, secrets, now);
    } catch (error) {
      this.logger.error({ webhookId: webhook.id, reportId: push.reportId, error }, 'webhook.unrenderable');
      return toOutcome(webhook, push, { error: 'unrenderable', durationMs: 0 });
    }
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

function toBehind(
  { reportId, webhookId, accountId, attempts }: ClaimedPush,
  nextDelayMs: number,
): PushOutcome {
  return { ...untried({ reportId, webhookId, accountId, attempts }), nextDelayMs, error: 'behind' };
}

function isSuccess({ responseStatus = null }: Pick<CallResult, 'responseStatus'>): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus < 300;
}

function toOutcome(
  { id: webhookId, accountId, schedule }: Webhook,
  { reportId, attempts, attemptsBefore }: Omit<WaitingPush, 'isClaimed'>,
  { responseStatus = null, error = 'no_answer', answer = '', durationMs }: Omit<CallResult, 'id'>,
): PushOutcome {
  const tried = {
    ...untried({ reportId, webhookId, accountId, attempts: attempts + 1 }),
    responseStatus,
    durationMs,
  };
  if (isSuccess({ responseStatus })) return { ...tried, status: 'DELIVERED' };
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
