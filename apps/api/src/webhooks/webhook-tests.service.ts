import { type KeyObject, randomUUIDv7 } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { type MessageRecord, findMessage } from '@signalbox/database/messages/messages';
import type { Webhook } from '@signalbox/database/webhooks/webhook.entity';
import { type EventMessage, renderChatPush } from '@signalbox/domain/chat/event';
import { parseMessageId } from '@signalbox/domain/message-id';
import { type RenderedPush, renderPush, toDeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { renderBatch, usableBatch } from '@signalbox/domain/webhooks/push-batch';
import type { ChatEvent } from '@signalbox/domain/webhooks/push-filters';
import { newWebhookSecret, secretKey, signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import type { CallOwner, PushResult } from '@signalbox/gateways/webhook-call';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { RateLimiter } from '../auth/rate-limiter.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { openSecrets } from './open-secrets.ts';
import { SAMPLE_REPORT, sampleEvent, SMS_SAMPLE } from './webhook-samples.ts';
import { type PreviewView, type TestView, previewView, testView } from './webhook-test.view.ts';
import type { PreviewRequest, UnsavedTestRequest } from './webhook.dto.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Test calls per account and minute, over all its webhooks, to prevent floods of an endpoint. */
const TESTS_PER_MINUTE = 10;

/** The result of a call that cannot be signed. Pushes report `unrenderable`. */
const UNREADABLE: PushResult = {
  ok: false,
  status: null,
  error: 'secret_unreadable',
  gone: false,
  durationMs: 0,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
};

/** Renders previews of pushes, and calls webhooks with samples. */
@Injectable()
export class WebhookTestsService implements OnModuleDestroy {
  constructor(
    private readonly db: EntityManager,
    private readonly webhooks: WebhooksService,
    private readonly client: WebhookClient,
    private readonly sealer: Sealer,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Renders the report of a message of the account, or of a sample. Calls and stores nothing.
   *
   * @throws ApiError message_not_found; invalid_request for an endpoint in a forbidden network
   */
  async preview(accountId: string, request: PreviewRequest): Promise<PreviewView> {
    const { method = 'POST', batch = null } = request;
    const rendered = await this.render(accountId, request);
    return previewView(
      method,
      batch ? asBatch(rendered, '<the same for every attempt with the same reports>') : rendered,
    );
  }

  /**
   * Calls a webhook with a marked sample, signed and guarded like a push and under the same deadline. Also calls a
   * disabled webhook.
   *
   * @param event the sample to send; by default the first event of a chat-app webhook, a report for one of SMS
   * @throws ApiError webhook_not_found, rate_limited; invalid_request for an event that the webhook does not subscribe
   * to
   */
  async test(caller: KeyHolder, id: string, event?: ChatEvent): Promise<TestView> {
    const webhook = await this.webhooks.find(caller.accountId, id);
    if (event !== undefined && !webhook.events.includes(event))
      throw invalidRequest([
        { field: 'event', rule: 'not_allowed_value', message: 'must be one of the events of the webhook' },
      ]);
    await this.charge(caller);
    const call = { ...renderSample(webhook, event), method: webhook.method, batch: usableBatch(webhook) };
    const owner = { accountId: caller.accountId, webhookId: id };
    return this.call(call, openSecrets(this.sealer, webhook, new Date()), owner);
  }

  /**
   * Makes the call of settings that are not saved, marked like the test of a webhook.
   *
   * @throws ApiError webhook_not_found, message_not_found, rate_limited; invalid_request for an endpoint in a forbidden
   * network
   */
  async testSettings(caller: KeyHolder, request: UnsavedTestRequest): Promise<TestView> {
    const { webhookId = '', method = 'POST', batch = null } = request;
    const { accountId } = caller;
    const webhook = webhookId === '' ? undefined : await this.webhooks.find(accountId, webhookId);
    const call = { ...(await this.render(accountId, request)), method, batch };
    await this.charge(caller);
    const owner = { accountId, webhookId };
    if (webhook) return this.call(call, openSecrets(this.sealer, webhook, new Date()), owner);
    const secret = newWebhookSecret();
    return { ...(await this.call(call, [secretKey(secret)], owner)), secret };
  }

  /** Resolves when running tests have ended. */
  onModuleDestroy(): Promise<void> {
    return this.client.close();
  }

  private async render(accountId: string, request: PreviewRequest): Promise<RenderedPush> {
    const { channel = 'sms', method = 'POST', endPoint, headers = [], fields = [] } = request;
    await this.webhooks.requirePublicAddress(accountId, endPoint);
    const target = { method, endPoint, headers, fields };
    const message =
      request.messageId === undefined
        ? undefined
        : await this.findMessage(accountId, request.messageId, channel);
    if (channel === 'sms') return renderPush(target, message ? toDeliveryReport(message) : SAMPLE_REPORT);
    return renderChatPush(
      target,
      message ? toStatusEvent(message) : sampleEvent(firstOf(request.events ?? [])),
    );
  }

  /** @param secrets undefined when they cannot be read: nothing is called */
  private async call(
    { method, batch, ...plain }: RenderedPush & Pick<Webhook, 'method' | 'batch'>,
    secrets: KeyObject[] | undefined,
    owner: CallOwner,
  ): Promise<TestView> {
    const id = `test_${randomUUIDv7()}`;
    const rendered = batch ? asBatch(plain, id) : plain;
    if (!secrets) return testView({ ...rendered, method }, UNREADABLE);
    const signature = signatureHeaders(secrets, id, new Date(), rendered);
    const headers = { ...rendered.headers, ...signature, 'webhook-test': 'true' };
    const call = { method, url: rendered.url, headers, body: rendered.body };
    return testView(call, await this.client.send({ ...call, keepsAnswer: true, owner }));
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

/** Renders the call of a first status as a batch of one. */
function asBatch(call: RenderedPush, id: string): RenderedPush {
  return { ...call, body: renderBatch([{ id, sequence: 1, body: call.body ?? '' }]).body };
}

type ReportedRecord = MessageRecord & { description: string | null };

/** The event that reports the current status of a message. */
function toStatusEvent(message: ReportedRecord): EventMessage {
  const { kind, templateName, language, campaign, clientRef, acceptedAt, sentAt, deliveredAt } = message;
  const template = templateName === null ? null : { name: templateName, language: language ?? '' };
  return {
    ...message,
    chat: { at: deliveredAt ?? sentAt ?? acceptedAt, kind, template, campaign, clientRef },
  };
}

function renderSample(webhook: Webhook, event?: ChatEvent): RenderedPush {
  if (webhook.channel === 'sms')
    return event === undefined ? renderPush(webhook, SAMPLE_REPORT) : renderChatPush(webhook, SMS_SAMPLE);
  return renderChatPush(webhook, sampleEvent(event ?? firstOf(webhook.events)));
}

function firstOf([event = 'message.status']: readonly string[]): ChatEvent {
  return event as ChatEvent;
}
