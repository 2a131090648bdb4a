import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/api-keys';
import { type Webhook, sealedSecrets } from '@signalbox/database/entities/webhook';
import { findMessage } from '@signalbox/database/messages';
import { type DeliveryReport, type RenderedPush, renderPush, toDeliveryReport } from '@signalbox/domain/delivery-report';
import { parseMessageId } from '@signalbox/domain/message-id';
import { secretKey, signatureHeaders } from '@signalbox/domain/push-signature';
import type { WebhookClient } from '@signalbox/gateways/webhook-client';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { RateLimiter } from '../auth/rate-limiter.ts';
import { ApiError } from '../errors/api-error.ts';
import { SAMPLE_REPORT, chatSample } from './webhook-samples.ts';
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
    await this.webhooks.requirePublicAddress(request.endPoint);
    const { method = 'POST', endPoint, headers = [], fields = [], messageId } = request;
    const report = messageId === undefined ? SAMPLE_REPORT : await this.reportOf(accountId, messageId);
    return previewView(method, renderPush({ method, endPoint, headers, fields }, report));
  }

  /**
   * Calls a webhook with a sample that says it is one, as a push would: signed, guarded, under the same deadline. One that is disabled
   * can be tested too.
   *
   * @throws ApiError webhook_not_found, rate_limited
   */
  async test(caller: KeyHolder, id: string): Promise<TestView> {
    const webhook = await this.webhooks.find(caller.accountId, id);
    await this.charge(caller);
    const rendered = renderSample(webhook);
    const now = new Date();
    const secrets = sealedSecrets(webhook, now).map((sealed) => secretKey(this.sealer.open(sealed)));
    const signature = signatureHeaders(secrets, `test_${randomUUIDv7()}`, now, rendered);
    const headers = { ...rendered.headers, ...signature, 'webhook-test': 'true' };
    const call = { method: webhook.method, url: rendered.url, headers, body: rendered.body };
    return testView(call, await this.client.send({ ...call, keepsAnswer: true }));
  }

  /** Resolves when tests under way are over. */
  close(): Promise<void> {
    return this.client.close();
  }

  private async reportOf(accountId: string, messageId: string): Promise<DeliveryReport> {
    const key = parseMessageId(messageId);
    const message = key && (await findMessage(this.db, accountId, key));
    if (!message) throw new ApiError('message_not_found');
    return toDeliveryReport({ ...message, description: message.statusDescription });
  }

  private async charge(caller: KeyHolder): Promise<void> {
    const tests = { ...caller, keyId: `webhook-tests:${caller.accountId}`, rateLimitPerMinute: TESTS_PER_MINUTE };
    const { allowed, resetSeconds } = await this.limiter.charge(tests, 1);
    if (allowed) return;
    const message = `An account may test its webhooks ${TESTS_PER_MINUTE} times in 60 seconds; try again in ${resetSeconds} s.`;
    throw new ApiError('rate_limited', message, { retryAfterSeconds: resetSeconds });
  }
}

function renderSample(webhook: Webhook): RenderedPush {
  const rendered = renderPush(webhook, SAMPLE_REPORT);
  return webhook.channel === 'sms' ? rendered : { ...rendered, body: JSON.stringify(chatSample(webhook.events)) };
}
