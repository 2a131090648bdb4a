import { SCOPES, type Scope } from './scope.ts';

/** Roles of users, each with more rights than the one before. */
export const ROLES = ['viewer', 'editor', 'admin', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that a user has within one account; an operator has every account. */
export const ACCOUNT_ROLES = ['viewer', 'editor', 'admin'] as const satisfies Role[];
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

const WORK: readonly Scope[] = ['send', 'verify', 'templates', 'webhooks'];

/** The scopes of a role. Those of a viewer only read. */
export const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: WORK,
  editor: WORK,
  admin: [...WORK, 'manage'],
  operator: SCOPES,
};
