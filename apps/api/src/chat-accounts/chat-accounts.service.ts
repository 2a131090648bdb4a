import { Injectable } from '@nestjs/common';
import {
  changeChatAccount,
  deleteChatAccount,
  findChatAccount,
  insertChatAccount,
  listChatAccounts,
  nextChatAccountId,
} from '@signalbox/database/chat/accounts';
import { EntityManager } from 'typeorm';
import { type Caller, actorOf } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { ChatAccountChange, ChatAccountRequest } from './chat-account.dto.ts';
import { readChatAccountId } from './chat-account-id.ts';
import { type ChatAccountView, chatAccountView } from './chat-account.view.ts';

/** Manages an account's chat accounts. */
@Injectable()
export class ChatAccountsService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** @throws ApiError name_exists, limit_reached; those of `onceLive` */
  async create(call: LiveCall<ChatAccountRequest>): Promise<ChatAccountView> {
    const { name, sessionWindow } = call.request;
    const createdAt = new Date();
    const row = {
      id: await nextChatAccountId(this.db),
      name,
      sessionWindow,
      createdAt,
      updatedAt: createdAt,
    };
    return this.creations.onceLive(call, chatAccountView(row), async (db) => {
      await requireRoom(db, call.accountId, 'chatAccounts');
      if (!(await insertChatAccount(db, call.accountId, row))) throw nameExists(name);
    });
  }

  /** @throws ApiError chat_account_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<ChatAccountView> {
    const row = await findChatAccount(this.db, accountId, readChatAccountId(id));
    if (!row) throw new ApiError('chat_account_not_found');
    return chatAccountView(row);
  }

  /** A page of the account's chat accounts, newest first. */
  async list(accountId: string, query: PageQuery): Promise<Page<ChatAccountView>> {
    const read = (limit: number, before: string | undefined) =>
      listChatAccounts(this.db, accountId, limit, before === undefined ? undefined : Number(before));
    const rows = { digits: ({ id }: { id: number }) => String(id), read, view: chatAccountView };
    return this.cursors.pageByDigits('chat-accounts', accountId, query, rows);
  }

  /** @throws ApiError chat_account_not_found, name_exists; those of `requireLiveCaller` */
  async change(caller: Caller, id: string, change: ChatAccountChange): Promise<ChatAccountView> {
    const { accountId } = caller;
    if (changesNothing(change)) return this.get(accountId, id);
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      const changed = await changeChatAccount(db, accountId, readChatAccountId(id), change);
      if (changed === 'absent') throw new ApiError('chat_account_not_found');
      if (changed === 'name_exists') throw nameExists(change.name);
      return chatAccountView(changed);
    });
  }

  /**
   * Deletes a chat account with its senders and templates.
   *
   * @throws ApiError chat_account_not_found; those of `requireLiveCaller`
   */
  async delete(caller: Caller, id: string): Promise<{ id: number }> {
    const chatAccountId = readChatAccountId(id);
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      if (!(await deleteChatAccount(db, caller.accountId, chatAccountId, actorOf(caller))))
        throw new ApiError('chat_account_not_found');
      return { id: chatAccountId };
    });
  }
}

function nameExists(name = ''): ApiError {
  return new ApiError('name_exists', `The account has a chat account named "${name}" already.`);
}
