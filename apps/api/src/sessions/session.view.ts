import type { ListedSession } from '@signalbox/database/users/sessions';
import { ROLES } from '@signalbox/domain/role';
import { SCOPES } from '@signalbox/domain/scope';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const SessionView = model('Session', 'A signed-in browser of a user.', {
  id: ID,
  address: TEXT,
  userAgent: TEXT,
  isCurrent: FLAG,
  createdAt: TIME,
  usedAt: Type.String({ format: 'date-time', description: 'The last use, to about a minute.' }),
});
export type SessionView = Static<typeof SessionView>;

/** @param currentId the session that asks */
export function sessionView(session: ListedSession, currentId: string): SessionView {
  const { id, address, userAgent, createdAt, usedAt } = session;
  const times = { createdAt: createdAt.toISOString(), usedAt: usedAt.toISOString() };
  return { id, address, userAgent, isCurrent: id === currentId, ...times };
}

const UsableAccountView = Type.Object({ id: ID, name: TEXT });

export const MeView = model('Me', 'The caller: a user or an API key, and what it may do.', {
  kind: oneOf(['user', 'key']),
  id: ID,
  name: TEXT,
  email: nullable(TEXT, 'Null for a key.'),
  role: nullable(oneOf(ROLES), 'Null for a key.'),
  accountId: ID,
  accountName: TEXT,
  accounts: Type.Array(UsableAccountView, {
    description: 'Accounts that the caller may act in, by name; at most 200.',
  }),
  scopes: Type.Array(oneOf(SCOPES)),
  readOnly: Type.Boolean({ description: 'True for the role `viewer`: writes are refused, numbers masked.' }),
  hasPassword: FLAG,
  hasTotp: FLAG,
  recoveryCodes: Type.Integer({ minimum: 0, description: 'Recovery codes that are left.' }),
  features: Type.Object({ simulator: FLAG, bullBoard: FLAG }),
});
export type MeView = Static<typeof MeView>;

export const SignedInView = model('SignedIn', 'The user of a new session.', { userId: ID, accountId: ID });
export type SignedInView = Static<typeof SignedInView>;

export const SignInOptionsView = model('SignInOptions', 'The ways to sign in besides a password.', {
  identityProvider: Type.Boolean({ description: 'True when one is configured.' }),
  identityProviderName: nullable(TEXT, 'Null without a name.'),
});
export type SignInOptionsView = Static<typeof SignInOptionsView>;

export const OfferedTotpView = model('OfferedTotp', 'A second factor to be confirmed with its first code.', {
  secret: Type.String({ description: 'In base32, to be typed into an authenticator app. Shown once.' }),
  uri: Type.String({ description: 'The same as `otpauth://` URI, for a QR code.' }),
});
export const ConfirmedTotpView = model('ConfirmedTotp', 'The second factor is in force.', {
  recoveryCodes: Type.Array(TEXT, {
    description: 'Each replaces a code of the authenticator app once. Shown once.',
  }),
});
export type ConfirmedTotpView = Static<typeof ConfirmedTotpView>;
export const EndedView = Type.Object({ ended: COUNT });
