import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { setTotp } from '@signalbox/database/users/second-factors';
import { deleteOtherSessions, upsertSignInLink } from '@signalbox/database/users/sessions';
import {
  type UserSecrets,
  endForeignSignIn,
  findUserByEmail,
  insertUser,
  setPassword,
} from '@signalbox/database/users/users';
import {
  type Member,
  insertMember,
  isSharedUser,
  listMembers,
  lockMember,
} from '@signalbox/database/users/members';
import { parseEmail } from '@signalbox/domain/email';
import { hashToken, newToken } from '@signalbox/domain/session';
import { INVITATION_HOURS, LINK_MINUTES } from '@signalbox/domain/sign-in-link';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { requireEndless } from '../auth/key-expiry.ts';
import { asLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import { changeMember, removeMember, requireRole } from './member-changes.ts';
import type { UserChange, UserRequest } from './user.dto.ts';
import { type InvitedUserView, type SignInLinkView, type UserView, userView } from './user.view.ts';

const LIST = 'users';

/**
 * Manages the users of an account, and for operators the operators. A caller cannot grant a role with more rights than
 * their own, and an API key that expires none at all.
 */
@Injectable()
export class UsersService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** A page of the users of the account, newest first; for operators with the operators. */
  list(caller: Caller, query: PageQuery): Promise<Page<UserView>> {
    const withOperators = isOperator(caller);
    const read = (limit: number, before?: string) =>
      listMembers(this.db, caller.accountId, { withOperators, limit, before });
    return this.cursors.page(LIST, caller.accountId, query, read, userView);
  }

  /**
   * Invites a user by a link.
   *
   * @throws ApiError scope_missing, key_expires, user_exists, limit_reached; those of `onceLive`
   */
  async create(call: LiveCall<UserRequest>): Promise<InvitedUserView> {
    const { caller, request } = call;
    const email = parseEmail(request.email)!;
    requireRole(caller, request.role);
    await requireEndless(this.db, caller);
    const known = await findUserByEmail(this.db, email);
    const member = newMember(email, request, known);
    const link = needsLink(known) ? newLink(true) : undefined;
    const view = { ...userView(member), ...(link ?? { linkToken: null, linkExpiresAt: null }) };
    return this.creations.onceLive({ ...call, subject: { userId: known?.id } }, view, async (db) => {
      if (known && (!isOperator(caller) || request.role === 'operator')) throw new ApiError('user_exists');
      await requireRoom(db, call.accountId, 'users');
      if (!known && !(await insertUser(db, { ...member, isOperator: request.role === 'operator' })))
        throw new ApiError('user_exists');
      if (request.role !== 'operator' && !(await insertMember(db, call.accountId, member.id, request.role)))
        throw new ApiError('user_exists');
      if (known) await endForeignSignIn(db, known);
      if (link) await upsertSignInLink(db, member.id, hashToken(link.linkToken), INVITATION_HOURS * 60);
      await caller.audit?.write(db, {
        target: member.id,
        after: { email, name: member.name, role: request.role },
      });
    });
  }

  /**
   * Changes the role of a user, or disables or enables the user.
   *
   * @throws ApiError those of `changeMember` and `asLiveCaller`, user_not_found
   */
  change(caller: Caller, id: string, change: UserChange): Promise<UserView> {
    return this.changeOf(caller, id, async (db) => {
      const member = await this.lock(db, caller, id);
      const changed = await changeMember(db, caller, member, change);
      const [before, after] = [userView(member), userView(changed)];
      await caller.audit?.write(db, { target: id, before: shown(before), after: shown(after) });
      return after;
    });
  }

  /**
   * Removes a user from the account.
   *
   * @throws ApiError those of `asLiveCaller`, user_not_found, scope_missing, last_admin
   */
  remove(caller: Caller, id: string): Promise<{ id: string }> {
    return this.changeOf(caller, id, async (db) => {
      const member = await this.lock(db, caller, id);
      await removeMember(db, caller, member);
      const { email, role } = member;
      await caller.audit?.write(db, { target: id, before: { email, role } });
      return { id };
    });
  }

  /**
   * Makes a sign-in link in place of the password of a user, whose sessions end.
   *
   * @throws ApiError those of `asLiveCaller`, user_not_found, scope_missing, key_expires, user_of_others, user_is_you
   */
  makeLink(caller: Caller, id: string): Promise<SignInLinkView> {
    return this.changeOf(caller, id, async (db) => {
      await this.lockOwned(db, caller, id);
      const link = newLink(false);
      await setPassword(db, id, null);
      await deleteOtherSessions(db, id, null);
      await upsertSignInLink(db, id, hashToken(link.linkToken), LINK_MINUTES);
      await caller.audit?.write(db, { target: id });
      return link;
    });
  }

  /** Removes the second factor of a user, whose sessions end. @throws ApiError as `makeLink` */
  resetTotp(caller: Caller, id: string): Promise<UserView> {
    return this.changeOf(caller, id, async (db) => {
      const member = await this.lockOwned(db, caller, id);
      await setTotp(db, id, null);
      await deleteOtherSessions(db, id, null);
      await caller.audit?.write(db, { target: id, before: { totp: member.hasTotp }, after: { totp: false } });
      return userView({ ...member, hasTotp: false });
    });
  }

  private changeOf<R>(caller: Caller, userId: string, change: (db: EntityManager) => Promise<R>): Promise<R> {
    return asLiveCaller(this.db, caller, change, { userId });
  }

  private lock(db: EntityManager, caller: Caller, id: string): Promise<Member> {
    const find = () => lockMember(db, caller.accountId, id, isOperator(caller));
    return findOwn(id, find, 'user_not_found');
  }

  /**
   * Locks a user whose sign-in the caller may change: one who belongs to this account alone. Users change their own
   * with their password.
   */
  private async lockOwned(db: EntityManager, caller: Caller, id: string): Promise<Member> {
    if (caller.user?.id === id) throw new ApiError('user_is_you');
    const member = await this.lock(db, caller, id);
    requireRole(caller, member.role);
    await requireEndless(db, caller);
    if (!isOperator(caller) && (await isSharedUser(db, caller.accountId, id)))
      throw new ApiError('user_of_others');
    return member;
  }
}

function isOperator({ scopes }: Caller): boolean {
  return scopes.includes('ops');
}

/** False for a known user who signs in as an operator or through the identity provider. */
function needsLink(known: UserSecrets | undefined): boolean {
  return !known?.isOperator && (known?.identitySubject ?? null) === null;
}

/** A user as a member of another account; a known one keeps the name, and an operator the sign-in. */
function newMember(email: string, { name, role }: UserRequest, known: UserSecrets | undefined): Member {
  const kept = known?.isOperator ? known : undefined;
  return {
    id: known?.id ?? randomUUIDv7(),
    email,
    name: known?.name ?? name,
    role,
    hasPassword: (kept?.passwordHash ?? null) !== null,
    hasTotp: (kept?.sealedTotp ?? null) !== null,
    disabledAt: null,
    signedInAt: null,
    createdAt: new Date(),
  };
}

function newLink(isInvitation: boolean): SignInLinkView {
  const lifetimeMs = isInvitation ? INVITATION_HOURS * 3_600_000 : LINK_MINUTES * 60_000;
  return { linkToken: newToken(), linkExpiresAt: new Date(Date.now() + lifetimeMs).toISOString() };
}

function shown({ role, status }: UserView): object {
  return { role, status };
}
