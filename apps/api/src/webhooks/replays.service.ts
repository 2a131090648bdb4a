import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type Replay,
  cancelReplay,
  countReplayable,
  findReplay,
  insertReplay,
  listReplays,
} from '@signalbox/database/webhooks/replays';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { findOwn } from '../http/find-own.ts';
import { UUID } from '../http/uuid.ts';
import { type ReplayRequest, storedStatus } from './delivery.dto.ts';
import { type ReplayView, replayView } from './replay.view.ts';
import { WebhooksService } from './webhooks.service.ts';

/** Replays the deliveries of a time range. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
    private readonly creations: Creations,
    private readonly cursors: Cursors,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Counts the deliveries that a replay would make again. @throws ApiError webhook_not_found */
  async preview(accountId: string, webhookId: string, request: ReplayRequest): Promise<ReplayView> {
    await this.webhooks.find(accountId, webhookId);
    return { ...replayView(await this.toReplay(webhookId, request)), id: null, status: null };
  }

  /**
   * Starts a replay, which workers carry out.
   *
   * @throws ApiError webhook_not_found, limit_reached; those of `onceLive`
   */
  start(call: LiveCall<ReplayRequest>, webhookId: string): Promise<ReplayView> {
    const { accountId, request } = call;
    return this.creations.checked(call, async () => {
      await this.webhooks.find(accountId, webhookId);
      const replay = await this.toReplay(webhookId, request);
      return this.creations.onceLive(call, replayView(replay), async (db) => {
        await requireRoom(db, accountId, 'replays');
        await insertReplay(db, accountId, replay);
      });
    });
  }

  /** @throws ApiError replay_not_found, also for another tenant's */
  async get(accountId: string, webhookId: string, id: string): Promise<ReplayView> {
    const find = async () => UUID.test(webhookId) && findReplay(this.db, accountId, webhookId, id);
    return replayView(await findOwn(id, find, 'replay_not_found'));
  }

  /** A page of a webhook's replays, newest first. @throws ApiError webhook_not_found */
  async list(accountId: string, webhookId: string, query: PageQuery): Promise<Page<ReplayView>> {
    await this.webhooks.find(accountId, webhookId);
    const read = (limit: number, before?: string) =>
      listReplays(this.searches, accountId, webhookId, limit, before);
    return this.cursors.page(`replays ${webhookId}`, accountId, query, read, replayView);
  }

  /**
   * Ends a running replay; a finished one keeps its status.
   *
   * @throws ApiError replay_not_found; those of `requireLiveCaller`
   */
  async cancel(caller: Caller, webhookId: string, id: string): Promise<ReplayView> {
    const { accountId } = caller;
    await this.get(accountId, webhookId, id);
    await withAuditAsLiveCaller(this.db, caller, (db) => cancelReplay(db, accountId, webhookId, id));
    return this.get(accountId, webhookId, id);
  }

  private async toReplay(webhookId: string, request: ReplayRequest): Promise<Replay> {
    const createdAt = new Date();
    const range = {
      webhookId,
      statuses: (request.status ?? ['exhausted']).map(storedStatus),
      from: request.times.from!,
      to: request.times.to ?? createdAt,
    };
    return {
      ...range,
      id: randomUUIDv7(),
      status: 'RUNNING',
      ratePerSecond: request.ratePerSecond,
      total: await countReplayable(this.searches, range),
      replayed: 0,
      createdAt,
      finishedAt: null,
    };
  }
}
