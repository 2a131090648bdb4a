import { Injectable } from '@nestjs/common';
import { offerTotp, setTotp } from '@signalbox/database/users/second-factors';
import { deleteLinkOf, deleteOtherSessions, isRecentSession } from '@signalbox/database/users/sessions';
import { type UserSecrets, findUser, setPassword } from '@signalbox/database/users/users';
import { EntityManager } from 'typeorm';
import type { SessionUser } from '../auth/caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { Attempts } from './attempts.ts';
import { lockLive } from './live-session.ts';
import { passwordViolations } from './password-rules.ts';
import { Passwords } from './passwords.ts';
import { type OfferedTotp, SecondFactor, newRecoveryCodes } from './second-factor.ts';
import type { PasswordChange } from './session.dto.ts';

/** Minutes for which a sign-in with an identity provider proves its user. */
const RECENT_MINUTES = 10;

/** A user who changes what they sign in with. */
interface Change {
  user: SessionUser;
  /** Address of the client. */
  address: string;
}

/** Lets users change their own password and second factor. Each change needs the password. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly db: EntityManager,
    private readonly passwords: Passwords,
    private readonly secondFactor: SecondFactor,
    private readonly attempts: Attempts,
  ) {}

  /**
   * Sets the password, and ends all other sessions and the sign-in link.
   *
   * @throws ApiError password_incorrect, invalid_request, session_expired
   */
  async changePassword(change: Change, { currentPassword, newPassword }: PasswordChange): Promise<number> {
    const user = await this.prove(change, currentPassword);
    const violations = await passwordViolations('newPassword', newPassword, user.email);
    if (violations.length > 0) throw invalidRequest(violations);
    const hash = await this.passwords.hash(newPassword);
    return this.db.transaction(async (db) => {
      await lockProved(db, change.user, user);
      await setPassword(db, user.id, hash);
      await deleteLinkOf(db, user.id);
      await change.user.audit?.write(db, { target: user.id });
      return deleteOtherSessions(db, user.id, change.user.sessionId);
    });
  }

  /**
   * Offers a second factor, which is in force once it is confirmed.
   *
   * @throws ApiError password_incorrect, session_expired
   */
  async offerTotp(change: Change, password: string | undefined): Promise<OfferedTotp> {
    const user = await this.prove(change, password);
    const { offered, sealed } = this.secondFactor.offer(user);
    await this.db.transaction(async (db) => {
      await lockProved(db, change.user, user);
      await offerTotp(db, user.id, sealed);
      await change.user.audit?.write(db, { target: user.id });
    });
    return offered;
  }

  /**
   * Puts the offered second factor in force. Of concurrent calls one does.
   *
   * @returns recovery codes @throws ApiError second_factor_missing, code_incorrect, session_expired
   */
  async confirmTotp({ user: session }: Change, code: string): Promise<string[]> {
    const { id, sessionId, audit } = session;
    const user = await this.get(id);
    const { sealed, step } = await this.secondFactor.confirm(user, code);
    const { codes, hashes } = newRecoveryCodes();
    await this.db.transaction(async (db) => {
      await lockOffered(db, session, sealed);
      await setTotp(db, id, { sealed, step, recoveryHashes: hashes });
      await deleteOtherSessions(db, id, sessionId);
      await audit?.write(db, {
        target: id,
        before: { totp: user.sealedTotp !== null },
        after: { totp: true },
      });
    });
    return codes;
  }

  /** Removes the second factor. @throws ApiError password_incorrect, session_expired */
  async removeTotp(change: Change, password: string | undefined): Promise<void> {
    const user = await this.prove(change, password);
    await this.db.transaction(async (db) => {
      await lockProved(db, change.user, user);
      await setTotp(db, user.id, null);
      const before = { totp: user.sealedTotp !== null };
      await change.user.audit?.write(db, { target: user.id, before, after: { totp: false } });
    });
  }

  /** Requires the password of a user who has one: an unattended browser must not be enough. */
  private async prove({ user: { id, sessionId }, address }: Change, password = ''): Promise<UserSecrets> {
    const user = await this.get(id);
    if (user.passwordHash === null) return this.requireRecent(user, sessionId);
    const undo = await this.attempts.countPassword(user.email, address);
    if (!(await this.passwords.matches(password, user.passwordHash)))
      throw new ApiError('password_incorrect');
    await undo();
    return user;
  }

  /**
   * Requires a recent sign-in of a user of an identity provider, who has no password to confirm a change with.
   *
   * @throws ApiError sign_in_again
   */
  private async requireRecent(user: UserSecrets, sessionId: string): Promise<UserSecrets> {
    if (user.identitySubject === null || (await isRecentSession(this.db, sessionId, RECENT_MINUTES)))
      return user;
    throw new ApiError('sign_in_again');
  }

  private async get(id: string): Promise<UserSecrets> {
    const user = await findUser(this.db, id);
    if (!user) throw new ApiError('session_expired');
    return user;
  }
}

/**
 * Locks a user whose password was proved before; another may have been set meanwhile.
 *
 * @throws ApiError session_expired, password_incorrect
 */
async function lockProved(
  db: EntityManager,
  session: SessionUser,
  { passwordHash }: UserSecrets,
): Promise<void> {
  const locked = await lockLive(db, session);
  if (locked.passwordHash !== passwordHash) throw new ApiError('password_incorrect');
}

/**
 * Locks a user whose offered second factor was confirmed before; it may be in force, or replaced, meanwhile.
 *
 * @throws ApiError session_expired, second_factor_missing
 */
async function lockOffered(db: EntityManager, session: SessionUser, sealed: Buffer): Promise<void> {
  const locked = await lockLive(db, session);
  if (!locked.sealedNewTotp?.equals(sealed)) throw new ApiError('second_factor_missing');
}
