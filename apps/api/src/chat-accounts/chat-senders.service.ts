import { Injectable } from '@nestjs/common';
import {
  changeChatSender,
  deleteChatSender,
  insertChatSender,
  listChatSenders,
} from '@signalbox/database/chat/accounts';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { RepeatableCall } from '../http/repeatable-call.ts';
import type { ChatSenderChange, ChatSenderRequest } from './chat-account.dto.ts';
import { readChatAccountId } from './chat-account-id.ts';
import { type ChatSenderView, chatSenderView } from './chat-account.view.ts';
import { ChatAccountsService } from './chat-accounts.service.ts';

/** Path of idempotency keys: one for all chat accounts, so that a key is good for one sender. */
const SENDERS_PATH = '/v1/chat-accounts/senders';

/** Manages the senders of chat accounts. */
@Injectable()
export class ChatSendersService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly chatAccounts: ChatAccountsService,
    private readonly config: ApiConfig,
  ) {}

  /**
   * Registers a number with a chat account.
   *
   * @throws ApiError chat_account_not_found, limit_reached; sender_unavailable for a number that is registered already
   * or is not the account's to add, without saying which of the two; those of `onceLive`
   */
  add(call: RepeatableCall, id: string, request: ChatSenderRequest): Promise<ChatSenderView> {
    const { msisdn, messagesPerSecond } = request;
    const row = { msisdn: parseMsisdn(msisdn)!, messagesPerSecond, createdAt: new Date() };
    const creation = { ...call, path: SENDERS_PATH, request: { id, ...request } };
    return this.creations.onceLive(creation, chatSenderView(row), async (db) => {
      await requireRoom(db, call.accountId, 'senders');
      const { SENDER_REGISTRATION: registration } = this.config;
      const chatAccountId = readChatAccountId(id);
      const outcome = await insertChatSender(db, call.accountId, chatAccountId, row, registration);
      if (outcome === 'absent') throw new ApiError('chat_account_not_found');
      if (outcome === 'unavailable') throw new ApiError('sender_unavailable');
    });
  }

  /** A page of a chat account's senders, by number. @throws ApiError chat_account_not_found */
  async list(accountId: string, id: string, query: PageQuery): Promise<Page<ChatSenderView>> {
    const chatAccount = await this.chatAccounts.get(accountId, id);
    const read = (limit: number, after: string | undefined) =>
      listChatSenders(this.db, accountId, chatAccount.id, limit, after);
    const rows = { digits: ({ msisdn }: { msisdn: string }) => msisdn, read, view: chatSenderView };
    return this.cursors.pageByDigits(`chat-senders ${chatAccount.id}`, accountId, query, rows);
  }

  /** Sets the rate of a sender. @throws ApiError sender_not_found; those of `requireLiveCaller` */
  async change(
    caller: Caller,
    id: string,
    number: string,
    { messagesPerSecond }: ChatSenderChange,
  ): Promise<ChatSenderView> {
    const [chatAccountId, msisdn] = [readChatAccountId(id), parseMsisdn(number) ?? ''];
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      const row = await changeChatSender(db, caller.accountId, chatAccountId, msisdn, messagesPerSecond);
      if (!row) throw new ApiError('sender_not_found');
      return chatSenderView(row);
    });
  }

  /**
   * Deletes a sender, whose number is quarantined; returns its digits.
   *
   * @throws ApiError sender_not_found; those of `requireLiveCaller`
   */
  async delete(caller: Caller, id: string, number: string): Promise<{ msisdn: string }> {
    const [chatAccountId, msisdn] = [readChatAccountId(id), parseMsisdn(number) ?? ''];
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      if (!(await deleteChatSender(db, caller.accountId, chatAccountId, msisdn)))
        throw new ApiError('sender_not_found');
      return { msisdn };
    });
  }
}
