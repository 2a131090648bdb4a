import { onlyPage } from '../docs/described.ts';
import { answer } from '../http/answer.ts';
import type { InvitedUserView, SignInLinkView, UserView } from './user.view.ts';

/** Id of the user in the examples of /docs. */
export const USER_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c92';

export const USER_BODIES = {
  'Someone who sends': { email: 'ben@shop.example', name: 'Ben', role: 'editor' },
  'Someone who reads': { email: 'cleo@shop.example', name: 'Cleo', role: 'viewer' },
};
export const USER_CHANGES = { 'Another role': { role: 'viewer' }, Disable: { disabled: true } };

const USER: UserView = {
  id: USER_ID,
  email: 'ben@shop.example',
  name: 'Ben',
  role: 'editor',
  status: 'active',
  hasTotp: true,
  signedInAt: '2026-11-20T10:12:31.208Z',
  createdAt: '2026-11-20T09:00:00.000Z',
};
const LINK: SignInLinkView = {
  linkToken: 'N3Vn0nJzcl9hX3Rva2VuX29mXzI1Nl9yYW5kb21fYml',
  linkExpiresAt: '2026-11-22T09:00:00.000Z',
};
const INVITED: InvitedUserView = { ...USER, status: 'invited', hasTotp: false, signedInAt: null, ...LINK };

export const USERS_ANSWER = onlyPage([USER], 'user');
export const INVITED_ANSWER = answer(INVITED, 'The user was invited.');
export const USER_CHANGED_ANSWER = answer<UserView>({ ...USER, role: 'viewer' }, 'The user was changed.');
export const USER_REMOVED_ANSWER = answer({ id: USER_ID }, 'The user was removed.');
export const LINK_ANSWER = answer(LINK, 'Hand the link to the user.');
export const TOTP_RESET_ANSWER = answer({ ...USER, hasTotp: false }, 'The second factor was removed.');
