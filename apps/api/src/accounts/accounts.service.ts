import { Injectable } from '@nestjs/common';
import {
  changeAccount,
  findAccount,
  listAccounts,
  setAccountPaused,
} from '@signalbox/database/accounts/operation';
import { EntityManager } from 'typeorm';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { AccountChangeRequest, AccountQuery } from './account.dto.ts';
import { type AccountView, accountView } from './account.view.ts';

const LIST = 'accounts';

/** Shows and changes the accounts of the installation. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
  ) {}

  /** A page of accounts, the oldest first. */
  list(callerId: string, { q, status, ...page }: AccountQuery): Promise<Page<AccountView>> {
    const filter = { search: q?.trim() || null, status: status ?? null };
    const read = (limit: number, after?: string) => listAccounts(this.db, filter, limit, after);
    return this.cursors.page(LIST, callerId, page, read, accountView);
  }

  /** @throws ApiError account_not_found */
  async get(id: string): Promise<AccountView> {
    return accountView(await findOwn(id, () => findAccount(this.db, id), 'account_not_found'));
  }

  /** @throws ApiError account_not_found */
  async change(
    id: string,
    { name, status, smsPerSecond, limits }: AccountChangeRequest,
  ): Promise<AccountView> {
    const change = {
      name: name?.trim(),
      status: status ?? undefined,
      smsPerSecond,
      limits: limits ?? undefined,
    };
    await findOwn(id, () => changeAccount(this.db, id, change), 'account_not_found');
    return this.get(id);
  }

  /** Pauses or resumes what an account sends. @throws ApiError account_not_found */
  async setPaused(id: string, isPaused: boolean): Promise<AccountView> {
    await findOwn(id, () => setAccountPaused(this.db, id, isPaused), 'account_not_found');
    return this.get(id);
  }
}
