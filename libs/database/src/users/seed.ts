import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@signalbox/domain/role';
import { hashToken, newToken } from '@signalbox/domain/session';
import { INVITATION_HOURS, LINK_MINUTES } from '@signalbox/domain/sign-in-link';
import { findAccountsNamed } from '../accounts/accounts.ts';
import { type EntityManager, inTransaction } from '../core/in-transaction.ts';
import { insertAuditEvent } from './audit.ts';
import { upsertSignInLink } from './sessions.ts';
import { upsertMember } from './members.ts';
import { endForeignSignIn, findUserByEmail, insertUser, mayUseAccount } from './users.ts';

/** A user to create, by the name or id of an account. */
export interface NewUser {
  email: string;
  name: string;
  role: Role;
  account: string;
}

/**
 * Creates a user, and a sign-in link that works once, for 48 hours. A user who exists gets the role in this account,
 * and a link of ten minutes. One who is new in the account, or a new operator, loses the password and the second factor:
 * another account may have invited the address of somebody else.
 *
 * @returns the token of the link
 * @throws Error when no account, or several, have the name
 */
export function createUser(databaseUrl: string, user: NewUser): Promise<string> {
  return inTransaction(databaseUrl, 'signalbox-cli', async (transaction) => {
    const accountId = await getAccount(transaction, user.account);
    const known = await findUserByEmail(transaction, user.email);
    const id = known?.id ?? randomUUIDv7();
    const isOperator = user.role === 'operator';
    if (!known && !(await insertUser(transaction, { id, email: user.email, name: user.name, isOperator })))
      throw new Error(`The user ${user.email} is disabled.`);
    const hasRight = isOperator ? known?.isOperator : await mayUseAccount(transaction, id, accountId);
    const isReset = known !== undefined && !hasRight && (await endForeignSignIn(transaction, known));
    if (isOperator) await transaction.query(`UPDATE app_user SET is_operator = true WHERE id = $1`, [id]);
    if (user.role !== 'operator') await upsertMember(transaction, accountId, id, user.role);
    await noteCreation(transaction, accountId, id, user);
    const minutes = known?.passwordHash && !isReset ? LINK_MINUTES : INVITATION_HOURS * 60;
    return newLink(transaction, id, minutes);
  });
}

/**
 * Creates the user of a demo, an operator without a password, unless it exists.
 *
 * @returns the token of a sign-in link that works once, for ten minutes
 */
export function createDemoLink(databaseUrl: string, email: string, account: string): Promise<string> {
  return inTransaction(databaseUrl, 'signalbox-seed', async (transaction) => {
    const known = await findUserByEmail(transaction, email);
    const id = known?.id ?? randomUUIDv7();
    if (!known) {
      await insertUser(transaction, { id, email, name: 'Demo', isOperator: true });
      await upsertMember(transaction, await getAccount(transaction, account), id, 'admin');
    }
    return newLink(transaction, id, LINK_MINUTES);
  });
}

async function newLink(transaction: EntityManager, userId: string, minutes: number): Promise<string> {
  const token = newToken();
  await upsertSignInLink(transaction, userId, hashToken(token), minutes);
  return token;
}

async function getAccount(transaction: EntityManager, nameOrId: string): Promise<string> {
  const [account, another] = await findAccountsNamed(transaction, nameOrId);
  if (!account) throw new Error(`There is no account "${nameOrId}". Create it with create-account.`);
  if (another) throw new Error(`Several accounts are named "${nameOrId}". Name one by its id.`);
  return account.id;
}

async function noteCreation(
  transaction: EntityManager,
  accountId: string,
  target: string,
  { email, role }: NewUser,
): Promise<void> {
  const who = { accountId, actor: 'cli', actorName: 'Command line', address: '' };
  const what = { action: 'createUser', target, before: null, after: { email, role } };
  await insertAuditEvent(transaction, { ...who, ...what });
}
