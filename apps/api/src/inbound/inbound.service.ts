import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type InboundFilter, findInbound, listInbounds } from '@signalbox/database/chat/inbound-list';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { TimeRange } from '../http/time-range.ts';
import { type InboundView, inboundView } from './inbound.view.ts';

type Channel = InboundFilter['channel'];

/** Names of the lists in cursors: a page of one does not continue in the other. */
const LISTS = { chatapp: 'inbound', sms: 'sms inbound' } satisfies Record<Channel, string>;

/** A filter of inbound messages as its caller spells it. */
interface Query extends PageQuery {
  from?: string;
  to?: string;
  chatAccountId?: number;
  times: TimeRange;
}

/** Finds the inbound messages of an account, of one channel each. */
@Injectable()
export class InboundService {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
  ) {}

  /** Lists inbound messages, newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(channel: Channel, accountId: string, query: Query): Promise<Page<InboundView>> {
    const { from, to, chatAccountId, times, limit, cursor } = query;
    const list = LISTS[channel];
    const before = cursor === undefined ? undefined : this.cursors.decode(list, accountId, cursor);
    const filter = {
      channel,
      from: from && (parseMsisdn(from) ?? from),
      to: to && (parseMsisdn(to) ?? to),
      chatAccountId,
      receivedFrom: times.from,
      receivedTo: times.to,
    };
    const { messages, next } = await listInbounds(this.db, accountId, filter, limit, before);
    const nextCursor = next && this.cursors.encode(list, accountId, next);
    return { page: messages.map(inboundView), nextCursor };
  }

  /** @throws ApiError message_not_found, also for a message of another account or channel */
  async get(channel: Channel, accountId: string, id: string): Promise<InboundView> {
    const find = () => findInbound(this.db, channel, accountId, id);
    return inboundView(await findOwn(id, find, 'message_not_found'));
  }
}
