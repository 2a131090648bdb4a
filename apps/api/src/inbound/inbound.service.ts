import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findInbound, listInbounds } from '@signalbox/database/chat/inbound-list';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { InboundQuery } from './inbound.dto.ts';
import { type InboundView, inboundView } from './inbound.view.ts';

const LIST = 'inbound';

/** Finds the inbound messages of an account. */
@Injectable()
export class InboundService {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
  ) {}

  /** Lists inbound messages, newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(accountId: string, query: InboundQuery): Promise<Page<InboundView>> {
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
    const nextCursor = next && this.cursors.encode(LIST, accountId, next);
    return { page: messages.map(inboundView), nextCursor };
  }

  /** @throws ApiError message_not_found, also for a message of another account */
  async get(accountId: string, id: string): Promise<InboundView> {
    return inboundView(await findOwn(id, () => findInbound(this.db, accountId, id), 'message_not_found'));
  }
}
