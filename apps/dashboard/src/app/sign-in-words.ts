/** Words of the sign-in page. */
export const WORDS = {
  provider: (name: string | null): string => `Sign in with ${name ?? 'your organization'}`,
  or: 'or',
  problems: {
    unreachable: 'The identity provider does not respond. Try again, or sign in with a password.',
    cancelled: 'You cancelled the sign-in.',
    expired: 'The sign-in took longer than ten minutes, or was completed before. Try again.',
    refused:
      'The identity provider refused the sign-in. Try again; if it fails again, tell the person who runs Signalbox.',
    email_unverified: 'The identity provider has not verified your e-mail address.',
    email_not_allowed: 'Addresses of your e-mail domain may not sign in here.',
    unknown_user: 'There is no user with your e-mail address. Ask an admin of your account to invite you.',
    other_identity:
      'The user with your e-mail address belongs to another person at the identity provider. Ask an admin of your account.',
    operator_unlinked:
      'You are an operator who is not linked with the identity provider. Sign in with your password, and link in My profile.',
    no_account: 'Your account does not exist. Tell the person who runs Signalbox.',
    account_full: 'Your account has no room for another user. Ask an admin of the account.',
    too_many: 'Too many sign-ins from your address. Try again in a minute.',
  },
} as const;

/** A reason for which a sign-in with the identity provider fails. */
export type SignInReason = keyof typeof WORDS.problems;

/** True for a reason that has words. */
export function isReason(text: unknown): text is SignInReason {
  return typeof text === 'string' && Object.hasOwn(WORDS.problems, text);
}
