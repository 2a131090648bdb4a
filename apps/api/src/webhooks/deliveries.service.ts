import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findMessage } from '@signalbox/database/messages/messages';
import {
  type Delivery,
  findDelivery,
  listDeliveries,
  listFailedAttempts,
  listReplayableReports,
  readEndpointStats,
} from '@signalbox/database/webhooks/deliveries';
import { listWebhookHealth } from '@signalbox/database/webhooks/endpoint-hours';
import { disableWebhook, enableWebhook } from '@signalbox/database/webhooks/endpoints';
import { MAX_REPLAYS, countReplay } from '@signalbox/database/webhooks/replay-limit';
import { replayPush } from '@signalbox/database/webhooks/replays';
import { parseMessageId } from '@signalbox/domain/message-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { parseDeliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { READS_OF_ACCOUNT } from '../http/costly-calls.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import { UUID } from '../http/uuid.ts';
import { DELIVERY_STATUSES, type DeliveriesQuery, type HealthQuery, storedStatus } from './delivery.dto.ts';
import { type DeliveryView, deliveryView } from './delivery.view.ts';
import { type EndpointStatsView, endpointStatsView } from './endpoint-stats.view.ts';
import { type WebhookHealthView, webhookHealthView } from './webhook-health.view.ts';
import type { WebhookView } from './webhook.view.ts';
import { DISABLED_BY_REQUEST, WebhooksService } from './webhooks.service.ts';

/** Shows the pushes to an account's webhooks, and replays single ones. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
    private readonly cursors: Cursors,
    private readonly webhooks: WebhooksService,
  ) {}

  /**
   * A page of a webhook's deliveries, newest first.
   *
   * @throws ApiError webhook_not_found, invalid_request for a cursor of another list
   */
  async list(accountId: string, webhookId: string, query: DeliveriesQuery): Promise<Page<DeliveryView>> {
    await this.webhooks.find(accountId, webhookId);
    const { cursor, messageId, recipient, status } = query;
    const list = `deliveries ${webhookId}`;
    const before = cursor === undefined ? undefined : this.cursors.decode(list, accountId, cursor);
    const filter = {
      statuses: (status ? [status] : DELIVERY_STATUSES).map(storedStatus),
      ...query.times,
      recipient: recipient === undefined ? undefined : parseMsisdn(recipient),
      reportIds: messageId === undefined ? undefined : await this.listReports(accountId, messageId),
    };
    const { deliveries, next } = await listDeliveries(this.searches, webhookId, filter, query.limit, before);
    return {
      page: await this.viewsOf(webhookId, deliveries),
      nextCursor: next && this.cursors.encode(list, accountId, next),
    };
  }

  /** @throws ApiError delivery_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<DeliveryView> {
    const key = parseDeliveryId(id);
    const found = key && (await findDelivery(this.searches, accountId, key));
    if (!found) throw new ApiError('delivery_not_found');
    const [view] = await this.viewsOf(found.webhookId, [found]);
    return view!;
  }

  /**
   * Makes a delivery due now. A finished one restarts its schedule.
   *
   * @throws ApiError delivery_not_found; delivery_in_progress during a call; limit_reached after 100 replays; those of
   * `requireLiveCaller`
   */
  async replay(caller: Caller, id: string): Promise<DeliveryView> {
    const { accountId } = caller;
    const key = parseDeliveryId(id);
    if (!key) throw new ApiError('delivery_not_found');
    await withAuditAsLiveCaller(this.db, caller, async (db) => {
      const replays = await countReplay(db, accountId, key);
      if (replays !== undefined && replays > MAX_REPLAYS) throw limitReached();
      const isReplayed = await replayPush(db, accountId, key);
      if (isReplayed === undefined) throw new ApiError('delivery_not_found');
      if (!isReplayed) throw new ApiError('delivery_in_progress');
    });
    return READS_OF_ACCOUNT.run(accountId, () => this.get(accountId, id));
  }

  /** @throws ApiError webhook_not_found */
  async stats(accountId: string, webhookId: string): Promise<EndpointStatsView> {
    await this.webhooks.find(accountId, webhookId);
    return endpointStatsView(await readEndpointStats(this.searches, webhookId));
  }

  /** The health of all webhooks of an account, or of one. @throws ApiError webhook_not_found */
  async health(accountId: string, { hours, webhookId }: HealthQuery): Promise<WebhookHealthView[]> {
    if (webhookId !== undefined) await this.webhooks.find(accountId, webhookId);
    const found = await listWebhookHealth(this.searches, accountId, hours, webhookId);
    return found.map((each) => webhookHealthView(each, hours));
  }

  /**
   * Disables a webhook; its pushes wait. A disabled one keeps its reason.
   *
   * @throws ApiError webhook_not_found; those of `requireLiveCaller`
   */
  async disable(caller: Caller, webhookId: string): Promise<WebhookView> {
    const { accountId } = caller;
    await this.webhooks.find(accountId, webhookId);
    await withAuditAsLiveCaller(this.db, caller, (db) => disableWebhook(db, webhookId, DISABLED_BY_REQUEST));
    return this.webhooks.get(accountId, webhookId);
  }

  /** Enables a webhook; its pending pushes are due now. @throws ApiError webhook_not_found; those of `requireLiveCaller` */
  async enable(caller: Caller, webhookId: string): Promise<EndpointStatsView> {
    const { accountId } = caller;
    await withAuditAsLiveCaller(this.db, caller, (db) =>
      findOwn(webhookId, () => enableWebhook(db, accountId, webhookId), 'webhook_not_found'),
    );
    return this.stats(accountId, webhookId);
  }

  /**
   * Ids of the reports of a message: none when the account has no such message. An inbound message has a UUID as its
   * id; the account's webhook limits what its reports can show.
   */
  private async listReports(accountId: string, id: string): Promise<string[]> {
    if (UUID.test(id)) return listReplayableReports(this.searches, { submissionId: id, n: 0 });
    const key = parseMessageId(id);
    const message = key && (await findMessage(this.searches, accountId, key));
    if (!message) return [];
    const events = message.channel === 'chatapp' ? await listReplayableReports(this.searches, message) : [];
    return [...message.movedBy, ...events];
  }

  private async viewsOf(webhookId: string, deliveries: Delivery[]): Promise<DeliveryView[]> {
    const failing = deliveries
      .filter(({ attempts, status }) => attempts > (status === 'DELIVERED' ? 1 : 0))
      .map(({ reportId }) => reportId);
    const failed = failing.length > 0 ? await listFailedAttempts(this.searches, webhookId, failing) : [];
    const byReport = Map.groupBy(failed, ({ reportId }) => reportId);
    return deliveries.map((delivery) => deliveryView(delivery, byReport.get(delivery.reportId) ?? []));
  }
}

function limitReached(): ApiError {
  return new ApiError('limit_reached', `The delivery was replayed ${MAX_REPLAYS} times, which is the limit.`);
}
