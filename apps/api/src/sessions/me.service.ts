import { Injectable } from '@nestjs/common';
import { findAccountsNamed } from '@signalbox/database/accounts/accounts';
import {
  deleteOtherSessions,
  deleteSession,
  listSessions,
  switchAccount,
} from '@signalbox/database/users/sessions';
import { findUser, listUsableAccounts, mayUseAccount } from '@signalbox/database/users/users';
import { isPostgres } from '@signalbox/queues/queue-connection';
import type { Scope } from '@signalbox/domain/scope';
import { EntityManager } from 'typeorm';
import { withAudit } from '../auth/audit-trail.ts';
import type { Caller, SessionUser, SignedIn } from '../auth/caller.ts';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { findOwn } from '../http/find-own.ts';
import { lockLive } from './live-session.ts';
import { type MeView, type SessionView, type SignInOptionsView, sessionView } from './session.view.ts';

/** Shows callers to themselves, and lets users end their sessions and change their account. */
@Injectable()
export class MeService {
  constructor(
    private readonly db: EntityManager,
    private readonly config: ApiConfig,
  ) {}

  async me(caller: Caller): Promise<MeView> {
    const { accountId, keyId, keyName, user } = caller;
    const [account] = await findAccountsNamed(this.db, accountId);
    const secrets = user && (await findUser(this.db, user.id));
    return {
      kind: user === undefined ? 'key' : 'user',
      id: keyId,
      name: keyName,
      email: user?.email ?? null,
      role: user?.role ?? null,
      accountId,
      accountName: account?.name ?? '',
      accounts: user ? await listUsableAccounts(this.db, user.id) : account ? [account] : [],
      scopes: caller.scopes as Scope[],
      readOnly: user?.role === 'viewer',
      hasPassword: (secrets?.passwordHash ?? null) !== null,
      hasTotp: (secrets?.sealedTotp ?? null) !== null,
      recoveryCodes: secrets?.recoveryCodes ?? 0,
      features: {
        simulator: this.config.SIMULATOR_INBOX,
        bullBoard: caller.scopes.includes('ops') && !isPostgres(this.config.QUEUE_URL),
      },
    };
  }

  /** The ways to sign in, which anyone may see. */
  signInOptions(): SignInOptionsView {
    const { OIDC_ISSUER, OIDC_NAME } = this.config;
    return { identityProvider: OIDC_ISSUER !== '', identityProviderName: OIDC_NAME || null };
  }

  /** Makes the session act in another account of its user. @throws ApiError account_not_usable, session_expired */
  async chooseAccount(user: SessionUser, accountId: string): Promise<void> {
    if (!(await mayUseAccount(this.db, user.id, accountId))) throw new ApiError('account_not_usable');
    await this.db.transaction(async (db) => {
      await lockLive(db, user);
      await switchAccount(db, user.sessionId, accountId);
      const [before, after] = [{ accountId: user.accountId }, { accountId }];
      await user.audit?.write(db, { target: user.sessionId, before, after });
    });
  }

  /** The live sessions of a user, newest first. */
  async sessions({ id, sessionId }: SignedIn): Promise<SessionView[]> {
    return (await listSessions(this.db, id)).map((session) => sessionView(session, sessionId));
  }

  /** Ends one session of a user. @throws ApiError session_not_found, session_expired */
  endSession(user: SessionUser, id: string): Promise<{ id: string }> {
    return withAudit(this.db, user, async (db) => {
      await lockLive(db, user);
      await findOwn(id, () => deleteSession(db, user.id, id), 'session_not_found');
      return { id };
    });
  }

  /** Ends all sessions of a user but the one that asks. @throws ApiError session_expired */
  async endOthers(user: SessionUser): Promise<{ ended: number }> {
    const ended = await withAudit(this.db, user, async (db) => {
      await lockLive(db, user);
      return deleteOtherSessions(db, user.id, user.sessionId);
    });
    return { ended };
  }
}
