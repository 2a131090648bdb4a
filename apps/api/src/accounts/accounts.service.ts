import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  changeAccount,
  findAccount,
  insertAccount,
  listAccounts,
  setAccountPaused,
} from '@signalbox/database/accounts/operation';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { AccountChangeRequest, AccountQuery, AccountRequest } from './account.dto.ts';
import { type AccountView, accountView } from './account.view.ts';

const LIST = 'accounts';

/** Shows and changes the accounts of the installation. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** A page of accounts, the oldest first. */
  list(callerId: string, { q, status, ...page }: AccountQuery): Promise<Page<AccountView>> {
    const filter = { search: q?.trim() || null, status: status ?? null };
    const read = (limit: number, after?: string) => listAccounts(this.db, filter, limit, after);
    return this.cursors.page(LIST, callerId, page, read, accountView);
  }

  /** @throws ApiError name_exists; those of `onceLive` */
  create(call: LiveCall<AccountRequest>): Promise<AccountView> {
    const { name, smsPerSecond = null, limits = {} } = call.request;
    const account = { id: randomUUIDv7(), name: name.trim(), smsPerSecond, limits: setLimits(limits) };
    const fresh = { status: 'active', pausedAt: null, keys: 0, users: 0, createdAt: new Date() } as const;
    const view = accountView({ ...account, ...fresh });
    return this.creations.onceLive(call, view, async (db) => {
      if (!(await insertAccount(db, account))) throw nameExists();
    });
  }

  /** @throws ApiError account_not_found */
  async get(id: string): Promise<AccountView> {
    return accountView(await findOwn(id, () => findAccount(this.db, id), 'account_not_found'));
  }

  /** @throws ApiError account_not_found; name_exists; those of `requireLiveCaller` */
  async change(
    caller: Caller,
    id: string,
    { name, status, smsPerSecond, limits }: AccountChangeRequest,
  ): Promise<AccountView> {
    const change = {
      name: name?.trim(),
      status: status ?? undefined,
      smsPerSecond,
      limits: limits ?? undefined,
    };
    const work = async (db: EntityManager): Promise<void> => {
      await findOwn(id, () => findAccount(db, id), 'account_not_found');
      if (!(await changeAccount(db, id, change))) throw nameExists();
    };
    await withAuditAsLiveCaller(this.db, caller, work, { accountId: id });
    return this.get(id);
  }

  /** Pauses or resumes what an account sends. @throws ApiError account_not_found; those of `requireLiveCaller` */
  async setPaused(caller: Caller, id: string, isPaused: boolean): Promise<AccountView> {
    const work = (db: EntityManager) =>
      findOwn(id, () => setAccountPaused(db, id, isPaused), 'account_not_found');
    await withAuditAsLiveCaller(this.db, caller, work, { accountId: id });
    return this.get(id);
  }
}

function nameExists(): ApiError {
  return new ApiError('name_exists', 'An account has this name already.');
}

type Limits = NonNullable<AccountRequest['limits']>;

/** The limits that are numbers; the others are defaults. */
function setLimits(limits: Limits): Partial<Record<keyof Limits, number>> {
  const given = Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries(given);
}
