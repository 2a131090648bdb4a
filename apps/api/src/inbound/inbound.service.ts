import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findInbound, listInbounds } from '@signalbox/database/chat/inbound-list';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import { Cursors } from '../http/cursor.ts';
import { UUID } from '../http/uuid.ts';
import type { InboundQuery } from './inbound.dto.ts';
import { type InboundView, inboundView } from './inbound.view.ts';

const LIST = 'inbound';

/** Looks up what recipients wrote to an account. */
@Injectable()
export class InboundService {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
  ) {}

  /** A page of an account's inbound messages, newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(
    accountId: string,
    query: InboundQuery,
  ): Promise<{ page: InboundView[]; nextCursor: string | null }> {
    const { from, to, chatAccountId, range, limit, cursor } = query;
    const before = cursor === undefined ? undefined : this.cursors.decode(LIST, accountId, cursor);
    const filter = {
      from: from && parseMsisdn(from),
      to: to && parseMsisdn(to),
      chatAccountId,
      receivedFrom: range.from,
      receivedTo: range.to,
    };
    const { messages, next } = await listInbounds(this.db, accountId, filter, limit, before);
    return {
      page: messages.map(inboundView),
      nextCursor: next && this.cursors.encode(LIST, accountId, next),
    };
  }

  /** @throws ApiError message_not_found, also for another tenant's message */
  async get(accountId: string, id: string): Promise<InboundView> {
    const row = UUID.test(id) ? await findInbound(this.db, accountId, id) : undefined;
    if (!row) throw new ApiError('message_not_found');
    return inboundView(row);
  }
}
