import { Injectable } from '@nestjs/common';
import { deleteSignInLink, findLinkUser } from '@signalbox/database/users/sessions';
import { findFirstAccount, findUserByEmail, lockUser } from '@signalbox/database/users/users';
import { parseEmail } from '@signalbox/domain/email';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { hashToken, isToken } from '@signalbox/domain/session';
import type { FastifyReply } from 'fastify';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { Attempts } from './attempts.ts';
import { beginSession } from './begin-session.ts';
import { Passwords } from './passwords.ts';
import { SecondFactor } from './second-factor.ts';
import type { LinkRequest, SignInRequest } from './session.dto.ts';
import type { SignedInView } from './session.view.ts';

/** Begins sessions. Each has a new token, whatever cookie the browser sent. */
@Injectable()
export class SignInService {
  constructor(
    private readonly db: EntityManager,
    private readonly passwords: Passwords,
    private readonly secondFactor: SecondFactor,
    private readonly attempts: Attempts,
  ) {}

  /**
   * Signs a user in with a password. An unknown user takes as long as a wrong password, and gets the same answer.
   *
   * @throws ApiError credentials_invalid, code_required, code_incorrect, rate_limited
   */
  async withPassword({ email, password, code }: SignInRequest, reply: FastifyReply): Promise<SignedInView> {
    const address = parseEmail(email);
    const undo = await this.attempts.countPassword(address ?? email, reply.request.ip);
    const user = address === undefined ? undefined : await findUserByEmail(this.db, address);
    const isRight = await this.passwords.matches(password, user?.passwordHash ?? null);
    // also without a user, so that both take as long
    const accountId = await findFirstAccount(this.db, user?.id ?? MIN_UUID);
    if (!isRight || !user || accountId === undefined) throw new ApiError('credentials_invalid');
    if (user.sealedTotp === null || code === undefined) await undo();
    const signedIn = await this.db.transaction(async (db) => {
      const locked = await lockUser(db, user.id);
      if (!locked || locked.passwordHash !== user.passwordHash) throw new ApiError('credentials_invalid');
      await this.secondFactor.require(db, locked, code);
      return beginSession(db, locked, accountId, reply, 'createSession');
    });
    if (user.sealedTotp !== null) await undo();
    return signedIn;
  }

  /**
   * Signs a user in with a link, which is used up.
   *
   * @throws ApiError sign_in_link_invalid, code_required, code_incorrect, rate_limited
   */
  async withLink({ token, code }: LinkRequest, reply: FastifyReply): Promise<SignedInView> {
    const undo = await this.attempts.countLink(reply.request.ip);
    if (!isToken(token)) throw new ApiError('sign_in_link_invalid');
    const hash = hashToken(token);
    const signedIn = await this.db.transaction(async (db) => {
      const userId = await findLinkUser(db, hash);
      const user = userId === undefined ? undefined : await lockUser(db, userId);
      const accountId = user && (await findFirstAccount(db, user.id));
      if (!user || accountId === undefined) throw new ApiError('sign_in_link_invalid');
      await this.secondFactor.require(db, user, code);
      if (!(await deleteSignInLink(db, hash))) throw new ApiError('sign_in_link_invalid');
      return beginSession(db, user, accountId, reply, 'useSignInLink');
    });
    await undo();
    return signedIn;
  }
}
