import { randomUUIDv7 } from 'node:crypto';
import {
  type Delivery,
  findDelivery,
  listDeliveries,
  listFailedAttempts,
  listReplayableReports,
  readEndpointStats,
} from '@signalbox/database/webhooks/deliveries';
import { enableWebhook } from '@signalbox/database/webhooks/endpoints';
import { findMessage } from '@signalbox/database/messages/messages';
import {
  type Replay,
  cancelReplay,
  countReplayable,
  findReplay,
  insertReplay,
  replayPush,
} from '@signalbox/database/webhooks/replays';
import { findWebhook } from '@signalbox/database/webhooks/webhooks';
import { parseDeliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { parseMessageId } from '@signalbox/domain/message-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import { UUID } from '../http/uuid.ts';
import { type DeliveriesQuery, DELIVERY_STATUSES, type ReplayRequest } from './delivery.dto.ts';
import {
  type DeliveryView,
  type EndpointStatsView,
  type ReplayView,
  deliveryView,
  endpointStatsView,
  replayView,
} from './delivery.view.ts';

/** What was pushed to an account's webhooks, and has it pushed again. */
export class DeliveriesService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** A page of a webhook's deliveries, newest first. @throws ApiError webhook_not_found, invalid_request for a cursor of another list */
  async list(
    accountId: string,
    webhookId: string,
    query: DeliveriesQuery,
  ): Promise<{ page: DeliveryView[]; nextCursor: string | null }> {
    await this.requireWebhook(accountId, webhookId);
    const list = `deliveries ${webhookId}`;
    const before =
      query.cursor === undefined ? undefined : this.cursors.decode(list, accountId, query.cursor);
    const reportIds =
      query.messageId === undefined ? undefined : await this.reportsOf(accountId, query.messageId);
    const filter = {
      statuses: (query.status ? [query.status] : DELIVERY_STATUSES).map(stored),
      ...query.times,
      recipient: query.recipient === undefined ? undefined : parseMsisdn(query.recipient),
      reportIds,
    };
    const { deliveries, next } = await listDeliveries(this.db, webhookId, filter, query.limit, before);
    return {
      page: await this.viewsOf(webhookId, deliveries),
      nextCursor: next && this.cursors.encode(list, accountId, next),
    };
  }

  /** @throws ApiError delivery_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<DeliveryView> {
    const key = parseDeliveryId(id);
    const found = key && (await findDelivery(this.db, accountId, key));
    if (!found) throw new ApiError('delivery_not_found');
    const [view] = await this.viewsOf(found.webhookId, [found]);
    return view!;
  }

  /** Has one delivery made again, now. @throws ApiError delivery_not_found; delivery_in_progress while it is being called */
  async replayOne(accountId: string, id: string): Promise<DeliveryView> {
    const key = parseDeliveryId(id);
    const isReplayed = key && (await replayPush(this.db, accountId, key));
    if (isReplayed === undefined) throw new ApiError('delivery_not_found');
    if (!isReplayed) throw new ApiError('delivery_in_progress');
    return this.get(accountId, id);
  }

  /** How many deliveries a replay would make again. @throws ApiError webhook_not_found */
  async preview(accountId: string, webhookId: string, request: ReplayRequest): Promise<ReplayView> {
    await this.requireWebhook(accountId, webhookId);
    return { ...replayView(await this.toReplay(webhookId, request)), id: null, status: null };
  }

  /** Begins to make deliveries again. @throws ApiError webhook_not_found; those of idempotency keys */
  async replay(call: CreatingCall, webhookId: string, request: ReplayRequest): Promise<ReplayView> {
    await this.requireWebhook(call.accountId, webhookId);
    const replay = await this.toReplay(webhookId, request);
    return this.creations.once(call, replayView(replay), (db) => insertReplay(db, call.accountId, replay));
  }

  /** @throws ApiError replay_not_found, also for another tenant's */
  async getReplay(accountId: string, webhookId: string, id: string): Promise<ReplayView> {
    const found =
      UUID.test(webhookId) && UUID.test(id) ? await findReplay(this.db, accountId, webhookId, id) : undefined;
    if (!found) throw new ApiError('replay_not_found');
    return replayView(found);
  }

  /** Ends a replay; one that has ended stays as it is. @throws ApiError replay_not_found */
  async cancelReplay(accountId: string, webhookId: string, id: string): Promise<ReplayView> {
    await this.getReplay(accountId, webhookId, id);
    await cancelReplay(this.db, accountId, webhookId, id);
    return this.getReplay(accountId, webhookId, id);
  }

  /** @throws ApiError webhook_not_found */
  async stats(accountId: string, webhookId: string): Promise<EndpointStatsView> {
    await this.requireWebhook(accountId, webhookId);
    return endpointStatsView(await readEndpointStats(this.db, webhookId));
  }

  /** Puts a webhook on again; what waits for it is due. @throws ApiError webhook_not_found */
  async enable(accountId: string, webhookId: string): Promise<EndpointStatsView> {
    if (!UUID.test(webhookId) || !(await enableWebhook(this.db, accountId, webhookId)))
      throw new ApiError('webhook_not_found');
    return this.stats(accountId, webhookId);
  }

  private async requireWebhook(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await findWebhook(this.db, accountId, id)))
      throw new ApiError('webhook_not_found');
  }

  /** A message that is not there has no deliveries; one that a recipient wrote is known by its own id. Whose they are, the webhook tells. */
  private async reportsOf(accountId: string, id: string): Promise<string[]> {
    if (UUID.test(id)) return listReplayableReports(this.db, { submissionId: id, n: 0 });
    const key = parseMessageId(id);
    const message = key && (await findMessage(this.db, accountId, key));
    return message
      ? [
          ...message.movedBy,
          ...(message.channel === 'chatapp' ? await listReplayableReports(this.db, message) : []),
        ]
      : [];
  }

  private async viewsOf(webhookId: string, deliveries: Delivery[]): Promise<DeliveryView[]> {
    const failing = deliveries
      .filter(({ attempts, status }) => attempts > (status === 'DELIVERED' ? 1 : 0))
      .map(({ reportId }) => reportId);
    const failed = Map.groupBy(
      failing.length > 0 ? await listFailedAttempts(this.db, webhookId, failing) : [],
      ({ reportId }) => reportId,
    );
    return deliveries.map((delivery) => deliveryView(delivery, failed.get(delivery.reportId) ?? []));
  }

  private async toReplay(webhookId: string, request: ReplayRequest): Promise<Replay> {
    const createdAt = new Date();
    const range = {
      webhookId,
      statuses: (request.status ?? ['exhausted']).map(
        (status) => stored(status) as Replay['statuses'][number],
      ),
      from: request.times.from!,
      to: request.times.to ?? createdAt,
    };
    const total = await countReplayable(this.db, range);
    const { ratePerSecond } = request;
    return {
      ...range,
      id: randomUUIDv7(),
      status: 'RUNNING',
      ratePerSecond,
      total,
      replayed: 0,
      createdAt,
      finishedAt: null,
    };
  }
}

function stored(status: (typeof DELIVERY_STATUSES)[number]): Delivery['status'] {
  return status.toUpperCase() as Delivery['status'];
}
