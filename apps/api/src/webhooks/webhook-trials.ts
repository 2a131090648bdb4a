import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { type Webhook, sealedSecrets } from '@signalbox/database/webhooks/webhook.entity';
import { type MessageRecord, findMessage } from '@signalbox/database/messages/messages';
import { type EventMessage, renderChatPush } from '@signalbox/domain/chat/event';
import { type RenderedPush, renderPush, toDeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { ChatEvent } from '@signalbox/domain/webhooks/push-filters';
import { secretKey, signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import type { WebhookClient } from '@signalbox/gateways/webhook-client';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { RateLimiter } from '../auth/rate-limiter.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { SAMPLE_REPORT, sampleEvent } from './webhook-samples.ts';
import { type PreviewView, type TestView, previewView, testView } from './webhook-trial.view.ts';
import type { PreviewRequest } from './webhook.dto.ts';
import type { WebhooksService } from './webhooks.service.ts';

/** Nobody may use us to call an end point more often than that, whatever number of webhooks is at it. */
const TESTS_PER_MINUTE = 10;

/** Shows what a webhook would get, and lets it get a sample. */
export class WebhookTrials {
  constructor(
    private readonly db: EntityManager,
    private readonly webhooks: WebhooksService,
    private readonly client: WebhookClient,
    private readonly sealer: Sealer,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * What a webhook of these settings would get of a message of the account, or of a sample. Nothing is called or stored.
   *
   * @throws ApiError message_not_found; invalid_request for an end point in a forbidden network
   */
  async preview(accountId: string, request: PreviewRequest): Promise<PreviewView> {
    await this.webhooks.requirePublicAddress(accountId, request.endPoint);
    const {
      channel = 'sms',
      method = 'POST',
      endPoint,
      headers = [],
      fields = [],
      events = [],
      messageId,
    } = request;
    const target = { method, endPoint, headers, fields };
    const message =
      messageId === undefined ? undefined : await this.findMessage(accountId, messageId, channel);
    if (channel === 'sms')
      return previewView(method, renderPush(target, message ? toDeliveryReport(message) : SAMPLE_REPORT));
    return previewView(
      method,
      renderChatPush(target, message ? asStatusEvent(message) : sampleEvent(firstOf(events))),
    );
  }

  /**
   * Calls a webhook with a sample that says it is one, as a push would: signed, guarded, under the same deadline. One that is disabled
   * can be tested too.
   *
   * @param event which sample to send, of those that a chat-app webhook gets; the first of them unless told
   * @throws ApiError webhook_not_found, rate_limited; invalid_request for an event that the webhook does not get
   */
  async test(caller: KeyHolder, id: string, event?: ChatEvent): Promise<TestView> {
    const webhook = await this.webhooks.find(caller.accountId, id);
    if (event !== undefined && !webhook.events.includes(event)) {
      throw invalidRequest([
        { field: 'event', rule: 'not_allowed_value', message: 'must be one of the events of the webhook' },
      ]);
    }
    await this.charge(caller);
    const rendered = renderSample(webhook, event);
    const now = new Date();
    const secrets = sealedSecrets(webhook, now).map((sealed) => secretKey(this.sealer.open(sealed)));
    const signature = signatureHeaders(secrets, `test_${randomUUIDv7()}`, now, rendered);
    const headers = { ...rendered.headers, ...signature, 'webhook-test': 'true' };
    const call = { method: webhook.method, url: rendered.url, headers, body: rendered.body };
    const owner = { accountId: caller.accountId, webhookId: id };
    return testView(call, await this.client.send({ ...call, keepsAnswer: true, owner }));
  }

  /** Resolves when tests under way are over. */
  close(): Promise<void> {
    return this.client.close();
  }

  private async findMessage(
    accountId: string,
    messageId: string,
    channel: Webhook['channel'],
  ): Promise<ReportedRecord> {
    const key = parseMessageId(messageId);
    const message = key && (await findMessage(this.db, accountId, key));
    if (message?.channel !== channel) throw new ApiError('message_not_found');
    return { ...message, description: message.statusDescription };
  }

  private async charge(caller: KeyHolder): Promise<void> {
    const tests = {
      ...caller,
      keyId: `webhook-tests:${caller.accountId}`,
      rateLimitPerMinute: TESTS_PER_MINUTE,
    };
    const { allowed, resetSeconds } = await this.limiter.charge(tests, 1);
    if (allowed) return;
    const message = `An account may test its webhooks ${TESTS_PER_MINUTE} times in 60 seconds; try again in ${resetSeconds} s.`;
    throw new ApiError('rate_limited', message, { retryAfterSeconds: resetSeconds });
  }
}

type ReportedRecord = MessageRecord & { description: string | null };

/** The event that tells where a message stands. */
function asStatusEvent(message: ReportedRecord): EventMessage {
  const { kind, templateName, language, campaign, clientRef, acceptedAt, sentAt, deliveredAt } = message;
  const template = templateName === null ? null : { name: templateName, language: language ?? '' };
  return {
    ...message,
    chat: { at: (deliveredAt ?? sentAt ?? acceptedAt).toISOString(), kind, template, campaign, clientRef },
  };
}

function renderSample(webhook: Webhook, event?: ChatEvent): RenderedPush {
  if (webhook.channel === 'sms') return renderPush(webhook, SAMPLE_REPORT);
  return renderChatPush(webhook, sampleEvent(event ?? firstOf(webhook.events)));
}

function firstOf([event = 'message.status']: readonly string[]): ChatEvent {
  return event as ChatEvent;
}
