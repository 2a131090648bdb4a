import { USER_ID } from '../docs/example-ids.ts';
import type { OfferedTotp } from './second-factor.ts';
import type {
  ConfirmedTotpView,
  MeView,
  SessionView,
  SignInOptionsView,
  SignedInView,
} from './session.view.ts';

/** Ids in the examples of /docs. */
export const SESSION_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c91';
export const ACCOUNT_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c93';

export const SIGN_INS = {
  'With a password': { email: 'ana@shop.example', password: 'correct horse battery staple' },
  'With a second factor': {
    email: 'ana@shop.example',
    password: 'correct horse battery staple',
    code: '492039',
  },
};
export const LINKS = {
  'A sign-in link': { token: 'N3Vn0nJzcl9hX3Rva2VuX29mXzI1Nl9yYW5kb21fYml' },
  'With a second factor': { token: 'N3Vn0nJzcl9hX3Rva2VuX29mXzI1Nl9yYW5kb21fYml', code: '492039' },
};
export const ACCOUNT_CHOICES = { 'Another account': { accountId: ACCOUNT_ID } };
export const PASSWORD_CHANGES = {
  'The first': { newPassword: 'correct horse battery staple' },
  Another: { currentPassword: 'correct horse battery staple', newPassword: 'a meadow of tall clover' },
};
export const PASSWORD_PROOFS = {
  'With a password': { password: 'correct horse battery staple' },
  'Without one': {},
};
export const TOTP_CODES = { 'A code': { code: '492039' } };

export const ME: MeView = {
  kind: 'user',
  id: USER_ID,
  name: 'Ana',
  email: 'ana@shop.example',
  role: 'admin',
  accountId: ACCOUNT_ID,
  accountName: 'Shop',
  accounts: [{ id: ACCOUNT_ID, name: 'Shop' }],
  scopes: ['send', 'verify', 'templates', 'webhooks', 'manage'],
  readOnly: false,
  hasPassword: true,
  hasTotp: true,
  recoveryCodes: 10,
  features: { simulator: false, bullBoard: true },
};
export const SIGNED_IN: SignedInView = { userId: USER_ID, accountId: ACCOUNT_ID };
export const SIGN_IN_OPTIONS: SignInOptionsView = {
  identityProvider: true,
  identityProviderName: 'Our company',
};
export const SESSIONS: SessionView[] = [
  {
    id: SESSION_ID,
    address: '192.0.2.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    isCurrent: true,
    createdAt: '2026-11-20T09:00:00.000Z',
    usedAt: '2026-11-20T10:12:31.208Z',
  },
];
export const OFFERED: OfferedTotp = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Signalbox:ana%40shop.example?issuer=Signalbox&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
};
export const CONFIRMED: ConfirmedTotpView = {
  recoveryCodes: ['jbsw-y3dp-ehpk-3pxp', 'mfrg-gzdf-mztw-q2lk'],
};
