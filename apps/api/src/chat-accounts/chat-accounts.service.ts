import {
  changeChatAccount,
  changeChatSender,
  deleteChatAccount,
  deleteChatSender,
  findChatAccount,
  insertChatAccount,
  insertChatSender,
  listChatAccounts,
  listChatSenders,
  nextChatAccountId,
} from '@signalbox/database/chat/accounts';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { EntityManager } from 'typeorm';
import { actorOf } from '../auth/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import type {
  ChatAccountChange,
  ChatAccountRequest,
  ChatSenderChange,
  ChatSenderRequest,
} from './chat-account.dto.ts';
import {
  type ChatAccountView,
  type ChatSenderView,
  chatAccountView,
  chatSenderView,
} from './chat-account.view.ts';

export interface Page<V> {
  page: V[];
  nextCursor: string | null;
}

/** Keeps a tenant's chat accounts and the numbers they send from. */
export class ChatAccountsService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** @throws ApiError name_exists; those of idempotency keys */
  async create(call: CreatingCall, { name, sessionWindow }: ChatAccountRequest): Promise<ChatAccountView> {
    const createdAt = new Date();
    const row = {
      id: await nextChatAccountId(this.db),
      name,
      sessionWindow,
      createdAt,
      updatedAt: createdAt,
    };
    return this.creations.once(call, chatAccountView(row), async (db) => {
      if (!(await insertChatAccount(db, call.accountId, row))) throw nameExists(name);
    });
  }

  /** @throws ApiError chat_account_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<ChatAccountView> {
    const row = await findChatAccount(this.db, accountId, readId(id));
    if (!row) throw new ApiError('chat_account_not_found');
    return chatAccountView(row);
  }

  /** A page of the tenant's chat accounts, newest first. */
  async list(accountId: string, { limit, cursor }: PageQuery): Promise<Page<ChatAccountView>> {
    const before =
      cursor === undefined
        ? undefined
        : Number(this.cursors.decodeDigits('chat-accounts', accountId, cursor));
    const found = await listChatAccounts(this.db, accountId, limit + 1, before);
    const page = found.slice(0, limit);
    const nextCursor =
      found.length > limit
        ? this.cursors.encodeDigits('chat-accounts', accountId, String(page.at(-1)!.id))
        : null;
    return { page: page.map(chatAccountView), nextCursor };
  }

  /** @throws ApiError chat_account_not_found, name_exists */
  async change(accountId: string, id: string, change: ChatAccountChange): Promise<ChatAccountView> {
    const changed = await changeChatAccount(this.db, accountId, readId(id), change);
    if (changed === 'absent') throw new ApiError('chat_account_not_found');
    if (changed === 'name_exists') throw nameExists(change.name);
    return chatAccountView(changed);
  }

  /** Takes a chat account away with its senders and templates. @throws ApiError chat_account_not_found */
  async delete(caller: KeyHolder, id: string): Promise<void> {
    if (!(await deleteChatAccount(this.db, caller.accountId, readId(id), actorOf(caller))))
      throw new ApiError('chat_account_not_found');
  }

  /**
   * Registers a number with a chat account.
   *
   * @throws ApiError chat_account_not_found; name_exists when anybody has the number, without a word of whose it is
   */
  addSender(
    call: CreatingCall,
    id: string,
    { msisdn, messagesPerSecond }: ChatSenderRequest,
  ): Promise<ChatSenderView> {
    const row = { msisdn: parseMsisdn(msisdn)!, messagesPerSecond, createdAt: new Date() };
    return this.creations.once(call, chatSenderView(row), async (db) => {
      const outcome = await insertChatSender(db, call.accountId, readId(id), row);
      if (outcome === 'absent') throw new ApiError('chat_account_not_found');
      if (outcome === 'taken') throw new ApiError('name_exists', 'This number is registered already.');
    });
  }

  /** A page of a chat account's senders, by number. @throws ApiError chat_account_not_found */
  async listSenders(
    accountId: string,
    id: string,
    { limit, cursor }: PageQuery,
  ): Promise<Page<ChatSenderView>> {
    const chatAccount = await this.get(accountId, id);
    const list = `chat-senders ${chatAccount.id}`;
    const after = cursor === undefined ? undefined : this.cursors.decodeDigits(list, accountId, cursor);
    const found = await listChatSenders(this.db, accountId, chatAccount.id, limit + 1, after);
    const page = found.slice(0, limit);
    const nextCursor =
      found.length > limit ? this.cursors.encodeDigits(list, accountId, page.at(-1)!.msisdn) : null;
    return { page: page.map(chatSenderView), nextCursor };
  }

  /** Sets the pace of a number. @throws ApiError sender_not_found */
  async changeSender(
    accountId: string,
    id: string,
    number: string,
    { messagesPerSecond }: ChatSenderChange,
  ): Promise<ChatSenderView> {
    const row = await changeChatSender(
      this.db,
      accountId,
      readId(id),
      parseMsisdn(number) ?? '',
      messagesPerSecond,
    );
    if (!row) throw new ApiError('sender_not_found');
    return chatSenderView(row);
  }

  /** Takes a number away, and returns its digits. @throws ApiError sender_not_found */
  async deleteSender(accountId: string, id: string, number: string): Promise<{ msisdn: string }> {
    const msisdn = parseMsisdn(number) ?? '';
    if (!(await deleteChatSender(this.db, accountId, readId(id), msisdn)))
      throw new ApiError('sender_not_found');
    return { msisdn };
  }
}

/** What is no id is one that nobody has. */
function readId(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
}

function nameExists(name = ''): ApiError {
  return new ApiError('name_exists', `The account has a chat account named "${name}" already.`);
}
