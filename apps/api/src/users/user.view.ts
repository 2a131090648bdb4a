import type { Member } from '@signalbox/database/users/members';
import { ROLES } from '@signalbox/domain/role';
import { type Static, Type } from 'typebox';
import { FLAG, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

const MEMBERS = {
  id: ID,
  email: TEXT,
  name: TEXT,
  role: oneOf(ROLES),
  status: oneOf(['invited', 'active', 'disabled'], '`invited` users have no password yet.'),
  hasTotp: FLAG,
  signedInAt: nullable(TIME, 'The last sign-in.'),
  createdAt: TIME,
};

export const UserView = model('User', 'A user of an account.', MEMBERS);
export type UserView = Static<typeof UserView>;

const LINK = {
  linkToken: Type.String({
    description:
      'Hand `/app/#token=<linkToken>` of this service to the user. It works once, and is shown only now.',
  }),
  linkExpiresAt: TIME,
};

export const InvitedUserView = model('InvitedUser', 'A user of an account, with a sign-in link.', {
  ...MEMBERS,
  linkToken: nullable(
    LINK.linkToken,
    'Null for an operator, who signs in as before, and for a user of the identity provider, who signs in there.',
  ),
  linkExpiresAt: nullable(TIME),
});
export type InvitedUserView = Static<typeof InvitedUserView>;

export const SignInLinkView = model('SignInLink', 'A sign-in link.', LINK);
export type SignInLinkView = Static<typeof SignInLinkView>;

export function userView(member: Member): UserView {
  return show(UserView, { ...member, status: statusOf(member) });
}

function statusOf({ disabledAt, hasPassword }: Member): UserView['status'] {
  if (disabledAt) return 'disabled';
  return hasPassword ? 'active' : 'invited';
}
