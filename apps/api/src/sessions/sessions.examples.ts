import { answer } from '../http/answer.ts';
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
const USER_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c92';
const ACCOUNT_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c93';

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

export const ME_ANSWER = answer<MeView>(
  {
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
  },
  'This is you.',
);
export const SIGNED_IN_ANSWER = answer<SignedInView>(
  { userId: USER_ID, accountId: ACCOUNT_ID },
  'You are signed in.',
);
export const SIGN_IN_OPTIONS_ANSWER = answer<SignInOptionsView>(
  { identityProvider: true, identityProviderName: 'Our company' },
  'These are the ways to sign in.',
);
export const SIGNED_OUT_ANSWER = answer({ id: SESSION_ID }, 'You are signed out.');
export const CHOSEN_ANSWER = answer({ accountId: ACCOUNT_ID }, 'The account was changed.');
export const SESSIONS_ANSWER = answer<SessionView[]>(
  [
    {
      id: SESSION_ID,
      address: '192.0.2.7',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      isCurrent: true,
      createdAt: '2026-11-20T09:00:00.000Z',
      usedAt: '2026-11-20T10:12:31.208Z',
    },
  ],
  '1 session.',
);
export const SESSION_ENDED_ANSWER = answer({ id: SESSION_ID }, 'The session was ended.');
export const OTHERS_ENDED_ANSWER = answer({ ended: 2 }, '2 sessions ended.');
export const PASSWORD_ANSWER = answer({ ended: 2 }, 'The password was set.');
export const OFFERED_ANSWER = answer<OfferedTotp>(
  {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Signalbox:ana%40shop.example?issuer=Signalbox&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  },
  'Confirm the second factor with its first code.',
);
export const CONFIRMED_ANSWER = answer<ConfirmedTotpView>(
  { recoveryCodes: ['jbsw-y3dp-ehpk-3pxp', 'mfrg-gzdf-mztw-q2lk'] },
  'The second factor is in force.',
);
export const TOTP_REMOVED_ANSWER = answer({ hasTotp: false }, 'The second factor was removed.');
