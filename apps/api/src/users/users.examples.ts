import { USER_ID } from '../docs/example-ids.ts';
import type { InvitedUserView, SignInLinkView, UserView } from './user.view.ts';

export const USER_BODIES = {
  'Someone who sends': { email: 'ben@shop.example', name: 'Ben', role: 'editor' },
  'Someone who reads': { email: 'cleo@shop.example', name: 'Cleo', role: 'viewer' },
};
export const USER_CHANGES = { 'Another role': { role: 'viewer' }, Disable: { disabled: true } };

export const USER: UserView = {
  id: USER_ID,
  email: 'ben@shop.example',
  name: 'Ben',
  role: 'editor',
  status: 'active',
  hasTotp: true,
  signedInAt: '2026-11-20T10:12:31.208Z',
  createdAt: '2026-11-20T09:00:00.000Z',
};
export const LINK: SignInLinkView = {
  linkToken: 'N3Vn0nJzcl9hX3Rva2VuX29mXzI1Nl9yYW5kb21fYml',
  linkExpiresAt: '2026-11-22T09:00:00.000Z',
};
export const INVITED: InvitedUserView = {
  ...USER,
  status: 'invited',
  hasTotp: false,
  signedInAt: null,
  ...LINK,
};

export const USER_CHANGED: UserView = { ...USER, role: 'viewer' };
export const TOTP_RESET = { ...USER, hasTotp: false };
