import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type ConversationKey,
  listConversations,
  listThreadInbound,
  listThreadOutbound,
} from '@signalbox/database/chat/conversations';
import type { InboundRow } from '@signalbox/database/chat/inbound-list';
import type { MessageState } from '@signalbox/database/messages/messages';
import { Carriers } from '@signalbox/database/ops/carriers';
import { MAX_UUID, timeOf } from '@signalbox/domain/id-time';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { inboundView } from '../inbound/inbound.view.ts';
import { MessageContents, type MessageDetails } from '../messages/message-contents.ts';
import { messageSummary } from '../messages/message.view.ts';
import type { ConversationsQuery } from './conversations.dto.ts';
import { type ConversationView, type ThreadEntry, conversationView } from './conversations.view.ts';

const LIST = 'conversations';
const DAY_MS = 86_400_000;

/** Begins a thread at its newest message. */
const NEWEST: MessageKey = { submissionId: MAX_UUID, n: 0 };

/** A message of a thread, by the order of ids. */
type Line = { key: MessageKey } & ({ inbound: InboundRow } | { message: MessageState });

/** Lists the conversations of an account with those who wrote to it, and their messages. */
@Injectable()
export class ConversationsService {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly contents: MessageContents,
    private readonly carriers: Carriers,
  ) {}

  /** Lists conversations, the newest first. @throws ApiError invalid_request for a cursor of another list or account */
  async list(accountId: string, query: ConversationsQuery): Promise<Page<ConversationView>> {
    const { channel, sender, recipient, open, limit, cursor } = query;
    const before = cursor === undefined ? undefined : this.cursors.decode(LIST, accountId, cursor);
    const from = open === 'true' ? new Date(Date.now() - DAY_MS) : undefined;
    const filter = {
      channel,
      sender: sender && readNumber(sender),
      recipient: recipient && readNumber(recipient),
      from,
    };
    const { conversations, next } = await listConversations(this.db, accountId, filter, limit, before);
    return {
      page: conversations.map(conversationView),
      nextCursor: next && this.cursors.encode(LIST, accountId, next),
    };
  }

  /** Lists the messages of a conversation in both directions, newest first. @throws ApiError invalid_request */
  async thread(
    accountId: string,
    given: ConversationKey,
    { limit, cursor }: PageQuery,
  ): Promise<Page<ThreadEntry>> {
    const key = { sender: readNumber(given.sender), recipient: readNumber(given.recipient) };
    const list = `conversation ${key.sender} ${key.recipient}`;
    const before = cursor === undefined ? NEWEST : this.cursors.decodeMessage(list, accountId, cursor);
    const { lines, next } = await this.read(accountId, key, limit, before);
    const sent = lines.flatMap((line) => ('message' in line ? [line.key] : []));
    const details = await this.contents.list(accountId, sent);
    return {
      page: lines.map((line) => this.entry(line, details)),
      nextCursor: next && this.cursors.encodeMessage(list, accountId, next),
    };
  }

  private async read(
    accountId: string,
    key: ConversationKey,
    limit: number,
    before: MessageKey,
  ): Promise<{ lines: Line[]; next: MessageKey | null }> {
    const [inbound, { messages, edge }] = await Promise.all([
      listThreadInbound(this.db, accountId, key, limit + 1, before.submissionId),
      listThreadOutbound(this.db, accountId, key, limit + 1, before),
    ]);
    const all: Line[] = [
      ...inbound.map((row) => ({ key: { submissionId: row.id, n: 0 }, inbound: row })),
      ...messages.map((message) => ({ key: message, message })),
    ];
    const known = all
      .toSorted((a, b) => compare(b.key, a.key))
      .filter(({ key: at }) => edge === null || messages.length > limit || compare(at, edge) >= 0);
    const lines = known.slice(0, limit);
    return { lines, next: known.length > limit ? lines.at(-1)!.key : edge };
  }

  private entry(line: Line, details: ReadonlyMap<string, MessageDetails>): ThreadEntry {
    if ('inbound' in line) {
      const { inbound } = line;
      const at = inbound.receivedAt.toISOString();
      return { at, direction: 'in', inbound: inboundView(inbound), message: null, content: null };
    }
    const { message } = line;
    return {
      at: (message.sentAt ?? timeOf(message.submissionId)).toISOString(),
      direction: 'out',
      inbound: null,
      message: messageSummary(message, this.carriers),
      content: details.get(messageId(message.submissionId, message.n))?.content ?? null,
    };
  }
}

const readNumber = (text: string): string => parseMsisdn(text) ?? text;

function compare(a: MessageKey, b: MessageKey): number {
  if (a.submissionId === b.submissionId) return a.n - b.n;
  return a.submissionId < b.submissionId ? -1 : 1;
}
