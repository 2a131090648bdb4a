import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type Cancellation,
  countCancellable,
  findCancellation,
  insertCancellation,
  stopCancellation,
} from '@signalbox/database/submissions/cancellations';
import { listSends } from '@signalbox/database/submissions/send-list';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import { type SubmissionView, submissionView } from '../sending/submission.view.ts';
import { type CancellationView, cancellationView } from './cancellation.view.ts';
import type { SentQuery } from '../http/sent-query.ts';
import type { CancelRequest } from './sends.dto.ts';

const LIST = 'sends';

/** Lists the sends of an account, and cancels pending messages of many. */
@Injectable()
export class SendsService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** Lists sends, newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(accountId: string, query: SentQuery): Promise<Page<SubmissionView>> {
    const { channel, campaignName: campaign, clientRef, sender, times, limit, cursor } = query;
    const before = cursor === undefined ? undefined : this.cursors.decode(LIST, accountId, cursor);
    const filter = { channel, campaign, clientRef, sender, ...times };
    const { sends, next } = await listSends(this.searches, accountId, filter, limit, before);
    return {
      page: sends.map(submissionView),
      nextCursor: next && this.cursors.encode(LIST, accountId, next),
    };
  }

  /** Counts the sends and messages that a cancellation would cancel. */
  async preview(accountId: string, request: CancelRequest): Promise<CancellationView> {
    const { cancellation, sends } = await this.toCancellation(accountId, request);
    return { ...cancellationView(cancellation), id: null, status: null, sends };
  }

  /** Starts a cancellation, which workers carry out. @throws ApiError limit_reached; those of `onceLive` */
  async start(call: LiveCall<CancelRequest>): Promise<CancellationView> {
    const { cancellation } = await this.toCancellation(call.accountId, call.request);
    return this.creations.onceLive(call, cancellationView(cancellation), async (db) => {
      await requireRoom(db, call.accountId, 'cancellations');
      await insertCancellation(db, call.accountId, cancellation);
    });
  }

  /** @throws ApiError cancellation_not_found, also for another account's */
  async get(accountId: string, id: string): Promise<CancellationView> {
    const find = () => findCancellation(this.db, accountId, id);
    return cancellationView(await findOwn(id, find, 'cancellation_not_found'));
  }

  /**
   * Stops a running cancellation; an ended one keeps its status.
   *
   * @throws ApiError cancellation_not_found; those of `requireLiveCaller`
   */
  async stop(caller: Caller, id: string): Promise<CancellationView> {
    const { accountId } = caller;
    await this.get(accountId, id);
    await withAuditAsLiveCaller(this.db, caller, (db) => stopCancellation(db, accountId, id));
    return this.get(accountId, id);
  }

  private async toCancellation(
    accountId: string,
    { filter: given, times }: CancelRequest,
  ): Promise<{ cancellation: Cancellation; sends: number }> {
    const { channel, campaignName: campaign, clientRef, sender } = given;
    const all = { channel, campaign, clientRef, sender, ...times };
    const filter = Object.fromEntries(Object.entries(all).filter(([, value]) => (value ?? null) !== null));
    const { sends, messages, at } = await countCancellable(this.searches, accountId, filter);
    const cancellation: Cancellation = {
      id: randomUUIDv7(),
      status: 'RUNNING',
      // a later end would also cancel what is accepted before workers are done
      filter: { ...filter, to: times.to && times.to < at ? times.to : at },
      total: messages,
      examined: 0,
      sends: 0,
      cancelled: 0,
      createdAt: at,
      finishedAt: null,
    };
    return { cancellation, sends };
  }
}
