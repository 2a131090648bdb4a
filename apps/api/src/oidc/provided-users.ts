import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findAccountsNamed } from '@signalbox/database/accounts/accounts';
import { findUserByIdentity, linkIdentity } from '@signalbox/database/users/identities';
import { setTotp } from '@signalbox/database/users/second-factors';
import {
  type UserSecrets,
  endSignIn,
  findFirstAccount,
  findUserByEmail,
  insertUser,
  lockUser,
} from '@signalbox/database/users/users';
import { insertMember } from '@signalbox/database/users/members';
import { parseEmail } from '@signalbox/domain/email';
import type { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { trailOfUser } from '../sessions/begin-session.ts';
import type { ProvidedUser } from './identity-provider.ts';
import { findRule, readNewUserRules } from './new-user-rules.ts';
import { SignInProblem } from './sign-in-problem.ts';

const MAX_NAME = 100;

/** A locked user who may sign in, and the account of the new session. */
export interface AdmittedUser {
  user: UserSecrets;
  accountId: string;
}

/** The browser that completes a sign-in. */
export interface SigningBrowser {
  /** Address of the client. */
  address: string;
  /** User of its session, if it has one, and a page of this service began the sign-in. */
  userId: string | undefined;
}

/** Finds the users that an identity provider describes, and creates them where OIDC_NEW_USERS says so. */
@Injectable()
export class ProvidedUsers {
  constructor(private readonly config: ApiConfig) {}

  /**
   * Finds the user of an identity, or else of its verified e-mail address, or creates one; locked until the transaction
   * ends.
   *
   * @throws SignInProblem email_unverified, email_not_allowed, unknown_user, other_identity, operator_unlinked, no_account,
   * account_full
   */
  async admit(db: EntityManager, provided: ProvidedUser, by: SigningBrowser): Promise<AdmittedUser> {
    const email = this.requireEmail(provided);
    const knownId =
      (await findUserByIdentity(db, provided)) ??
      (await findUserByEmail(db, email))?.id ??
      (await this.create(db, provided, email, by.address));
    const user = await lockUser(db, knownId);
    const accountId = user && (await findFirstAccount(db, user.id));
    if (!user || accountId === undefined) throw new SignInProblem('unknown_user');
    if (user.identityIssuer === provided.issuer && user.identitySubject === provided.subject)
      return { user, accountId };
    return link(db, { user, accountId }, provided, by);
  }

  /** The address of a user, which the provider has verified, in a domain that may sign in. */
  private requireEmail({ claims }: ProvidedUser): string {
    const { email: given, email_verified: isVerified } = claims;
    const email = typeof given === 'string' ? parseEmail(given) : undefined;
    if (email === undefined || (isVerified !== true && isVerified !== 'true'))
      throw new SignInProblem('email_unverified');
    const domains = this.config.OIDC_EMAIL_DOMAINS;
    if (domains !== '' && !domains.split(',').includes(email.slice(email.lastIndexOf('@') + 1)))
      throw new SignInProblem('email_not_allowed');
    return email;
  }

  /** Creates a user by the first rule that fits. */
  private async create(
    db: EntityManager,
    provided: ProvidedUser,
    email: string,
    address: string,
  ): Promise<string> {
    const rule = findRule(readNewUserRules(this.config.OIDC_NEW_USERS), provided.claims);
    if (!rule) throw new SignInProblem('unknown_user');
    const accountId = await this.findAccount(db, rule.account);
    await requirePlace(db, accountId);
    const user = { id: randomUUIDv7(), email, name: nameOf(provided, email), isOperator: false };
    if (!(await insertUser(db, user))) throw new SignInProblem('unknown_user');
    await insertMember(db, accountId, user.id, rule.role);
    const after = { email, name: user.name, role: rule.role };
    await trailOfUser(user, accountId, 'createUser', address).write(db, { target: user.id, after });
    return user.id;
  }

  private async findAccount(db: EntityManager, nameOrId: string): Promise<string> {
    const [account, another] = await findAccountsNamed(db, nameOrId);
    if (!account || another) throw new SignInProblem('no_account');
    return account.id;
  }
}

/**
 * Links a user at the first sign-in. Whoever else could sign in as the user before is signed out, and cannot again. An
 * operator keeps all of it, because no account can have made it, and is linked only by a page of this service in a
 * browser where they are signed in: the e-mail address alone must not be enough for rights in every account.
 *
 * @returns the user with the second factor that stays
 * @throws SignInProblem other_identity, operator_unlinked
 */
async function link(
  db: EntityManager,
  { user, accountId }: AdmittedUser,
  { issuer, subject }: ProvidedUser,
  { address, userId }: SigningBrowser,
): Promise<AdmittedUser> {
  if (user.isOperator && user.identitySubject === null && user.id !== userId)
    throw new SignInProblem('operator_unlinked');
  if (!(await linkIdentity(db, user.id, { issuer, subject }))) throw new SignInProblem('other_identity');
  const sealedTotp = user.isOperator ? user.sealedTotp : null;
  if (!user.isOperator) {
    await setTotp(db, user.id, null);
    await endSignIn(db, user.id);
  }
  const [before, after] = [{ totp: user.sealedTotp !== null }, { issuer, totp: sealedTotp !== null }];
  await trailOfUser(user, accountId, 'linkIdentity', address).write(db, { target: user.id, before, after });
  return { user: { ...user, sealedTotp }, accountId };
}

async function requirePlace(db: EntityManager, accountId: string): Promise<void> {
  try {
    await requireRoom(db, accountId, 'users');
  } catch (cause) {
    if (cause instanceof ApiError) throw new SignInProblem('account_full', { cause });
    throw cause;
  }
}

/** The name of a user in one line, or else the address. */
function nameOf({ claims: { name } }: ProvidedUser, email: string): string {
  const plain = typeof name === 'string' ? name.replaceAll(/[\p{C}\s]+/gu, ' ').trim() : '';
  return [...(plain || email)].slice(0, MAX_NAME).join('');
}
