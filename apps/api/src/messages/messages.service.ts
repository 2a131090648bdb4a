import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { Readable } from 'node:stream';
import { listInboundAfter } from '@signalbox/database/chat/inbound-list';
import { type MessageFilter, type MessagePage, listMessages } from '@signalbox/database/messages/list';
import { listRoutingEvents } from '@signalbox/database/gateways/routing-events';
import { type MessageState, findMessage, listTimeline } from '@signalbox/database/messages/messages';
import { Carriers } from '@signalbox/database/ops/carriers';
import { listClicks } from '@signalbox/database/messages/short-links';
import { type MessageKey, isSubmissionId, messageId, parseMessageId } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { CSV_HEADER, csvLines } from './message-csv.ts';
import type { ReadPage } from './exports.ts';
import { MessageContents } from './message-contents.ts';
import { MessageWaits } from './message-waits.ts';
import type { MessageListRequest } from './message-list.dto.ts';
import { type MessageSummary, type MessageView, messageSummary, messageView } from './message.view.ts';

const LIST = 'messages';

/** Messages per statement of an export; bounds its memory, and the time for which other calls wait for a page. */
const EXPORT_PAGE = 100;

/** Finds, lists and exports the messages of an account. */
@Injectable()
export class MessagesService {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly carriers: Carriers,
    private readonly contents: MessageContents,
    private readonly waits: MessageWaits,
  ) {}

  /** @throws ApiError message_not_found, also for a message of another account */
  async get(accountId: string, id: string): Promise<MessageView> {
    const key = parseMessageId(id);
    const record = key && (await findMessage(this.db, accountId, key));
    const details = record && (await this.contents.find(accountId, key));
    if (!details) throw notFound(id);
    const reports = record.movedBy.length === 0 ? [] : await listTimeline(this.db, accountId, record.movedBy);
    const clicks = record.clicks === null ? [] : await listClicks(this.db, accountId, record);
    const inbound = record.lastInboundAt === null ? [] : await listInboundAfter(this.db, accountId, record);
    const decisions = await listRoutingEvents(this.db, key);
    const waitsFor = await this.waits.explain(accountId, record);
    const shown = { ...details, waitsFor };
    return messageView(record, { reports, decisions, clicks, inbound }, shown, this.carriers);
  }

  /** Lists messages, newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(accountId: string, request: MessageListRequest): Promise<Page<MessageSummary>> {
    const { messages, next } = await this.read(
      accountId,
      request,
      request.limit,
      this.startOf(accountId, request),
    );
    return {
      page: this.show(messages),
      nextCursor: next && this.cursors.encodeMessage(LIST, accountId, next),
    };
  }

  /**
   * Exports all matching messages as CSV, read page by page as the caller consumes them. A failure on the way breaks
   * the connection off, so that a partial file is never mistaken for a complete one.
   */
  async export(accountId: string, request: MessageListRequest, readPage: ReadPage): Promise<Readable> {
    const read = (before: MessageKey | undefined) => this.read(accountId, request, EXPORT_PAGE, before);
    // The first page is read before the answer begins, while a failure can still be reported.
    const start = this.startOf(accountId, request);
    let page = await readPage(() => read(start));
    const pages = async function* (this: MessagesService): AsyncGenerator<string> {
      yield CSV_HEADER + csvLines(this.show(page.messages));
      for (let before = page.next; before; before = page.next) {
        page = await readPage(() => read(before));
        if (page.messages.length > 0) yield csvLines(this.show(page.messages));
      }
    };
    return Readable.from(pages.call(this), { highWaterMark: 1 }); // pages; a caller that reads slowly gets no more
  }

  private show(messages: MessageState[]): MessageSummary[] {
    return messages.map((message) => messageSummary(message, this.carriers));
  }

  private startOf(accountId: string, { cursor }: MessageListRequest): MessageKey | undefined {
    return cursor === undefined ? undefined : this.cursors.decodeMessage(LIST, accountId, cursor);
  }

  private read(
    accountId: string,
    request: MessageListRequest,
    limit: number,
    before: MessageKey | undefined,
  ): Promise<MessagePage> {
    return listMessages(this.db, accountId, toFilter(request), limit, before);
  }
}

/** Names the form of an id to a caller who passed that of a send. It does not depend on what is stored. */
function notFound(id: string): ApiError {
  if (!isSubmissionId(id)) return new ApiError('message_not_found');
  return new ApiError(
    'message_not_found',
    `The account has no such message. The id of a message ends with its number, as ${messageId(id, 1)}.`,
  );
}

function toFilter({ recipient, status, campaignName, times, ...same }: MessageListRequest): MessageFilter {
  const { submissionId, clientRef, sender, channel, errCode, gateway } = same;
  return {
    recipient: recipient && parseMsisdn(recipient),
    statuses: status?.map((each) => each.toUpperCase() as MessageStatus),
    errCode,
    gateway,
    campaign: campaignName,
    submissionId,
    clientRef,
    sender,
    channel,
    ...times,
  };
}
