import { deleteOtherSessions, deleteSessionsIn } from '@signalbox/database/users/sessions';
import {
  type Member,
  changeRole,
  countOthers,
  deleteMember,
  disableMember,
  disableOperator,
  endOperator,
} from '@signalbox/database/users/members';
import { type Role, SCOPES_OF } from '@signalbox/domain/role';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { requireEndless } from '../auth/key-expiry.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { UserChange } from './user.dto.ts';

/** Requires that the caller has every scope of a role. @throws ApiError scope_missing */
export function requireRole({ scopes }: Caller, role: Role): void {
  const missing = SCOPES_OF[role].find((scope) => !scopes.includes(scope));
  if (missing !== undefined)
    throw new ApiError('scope_missing', `The role "${role}" has the scope "${missing}", which you lack.`);
}

/**
 * Applies a change to a locked user of the caller's account.
 *
 * @throws ApiError scope_missing, last_admin, invalid_request; key_expires for another role, and to enable a user
 */
export async function changeMember(
  db: EntityManager,
  caller: Caller,
  member: Member,
  { role = member.role, disabled }: UserChange,
): Promise<Member> {
  requireRole(caller, member.role);
  requireRole(caller, role);
  const isDisabled = disabled ?? member.disabledAt !== null;
  if (role !== member.role || (!isDisabled && member.disabledAt !== null)) await requireEndless(db, caller);
  if (isDisabled || role !== member.role) await requireOthers(db, caller, member);
  if (role !== member.role) await moveRole(db, caller.accountId, member, role);
  if (isDisabled !== (member.disabledAt !== null))
    await setDisabled(db, caller.accountId, member, isDisabled);
  return { ...member, role, disabledAt: isDisabled ? (member.disabledAt ?? new Date()) : null };
}

/**
 * Removes a locked user from the caller's account; an operator is one no longer.
 *
 * @throws ApiError scope_missing, last_admin
 */
export async function removeMember(db: EntityManager, caller: Caller, member: Member): Promise<void> {
  requireRole(caller, member.role);
  await requireOthers(db, caller, member);
  if (member.role === 'operator') {
    await deleteOtherSessions(db, member.id, null);
    await endOperator(db, member.id);
  } else await deleteSessionsIn(db, member.id, caller.accountId);
  await deleteMember(db, caller.accountId, member.id);
}

/** @throws ApiError invalid_request for an operator: an invitation or the command line gives the role, removal ends it */
async function moveRole(
  db: EntityManager,
  accountId: string,
  { id, role: from }: Member,
  to: Role,
): Promise<void> {
  if (from === 'operator' || to === 'operator')
    throw invalidRequest([
      {
        field: 'role',
        rule: 'not_applicable',
        message: 'must not change from or to operator; invite or remove the user',
      },
    ]);
  await changeRole(db, accountId, id, to);
}

async function setDisabled(
  db: EntityManager,
  accountId: string,
  { id, role }: Member,
  isDisabled: boolean,
): Promise<void> {
  if (role === 'operator') await disableOperator(db, id, isDisabled);
  else await disableMember(db, accountId, id, isDisabled);
  if (!isDisabled) return;
  if (role === 'operator') await deleteOtherSessions(db, id, null);
  else await deleteSessionsIn(db, id, accountId);
}

/** Requires that an admin, or an operator, is not the last one who can act. @throws ApiError last_admin */
async function requireOthers(
  db: EntityManager,
  { accountId }: Caller,
  { id, role, disabledAt }: Member,
): Promise<void> {
  if (disabledAt !== null || (role !== 'admin' && role !== 'operator')) return;
  if ((await countOthers(db, accountId, id, role)) === 0) throw new ApiError('last_admin');
}
