import type { ErrorKind } from './error-kind.ts';

/** Error codes of users, sessions and API keys. */
export const IDENTITY_ERRORS = {
  credentials_invalid: {
    status: 401,
    retryable: false,
    title: 'The e-mail address or the password is wrong.',
    action: 'Check both, or ask an admin of your account for a sign-in link.',
  },
  sign_in_link_invalid: {
    status: 401,
    retryable: false,
    title: 'The sign-in link was used, replaced or has expired.',
    action: 'Ask for a new link; each works once.',
  },
  code_required: {
    status: 401,
    retryable: false,
    title: 'The user has a second factor, and the request carries no code.',
    action: 'Send the 6 digits of the authenticator app, or a recovery code, as `code`.',
  },
  code_incorrect: {
    status: 401,
    retryable: false,
    title: 'The code of the second factor is wrong or was used before.',
    action: 'Wait for the next code of the authenticator app, or use a recovery code.',
  },
  session_expired: {
    status: 401,
    retryable: false,
    title: 'The session has ended.',
    action: 'Sign in again.',
  },
  csrf: {
    status: 403,
    retryable: false,
    title: 'The write does not come from a page of this service.',
    action: 'Outside of the dashboard, use an API key.',
  },
  role_read_only: {
    status: 403,
    retryable: false,
    title: 'The role "viewer" only reads.',
    action: 'Ask an admin of the account for the role "editor".',
  },
  password_incorrect: {
    status: 403,
    retryable: false,
    title: 'The current password is wrong.',
    action: 'Send the password that the user signs in with.',
  },
  sign_in_again: {
    status: 403,
    retryable: false,
    title: 'The user has no password to prove, and signed in more than 10 minutes ago.',
    action: 'Sign in again with the identity provider, and repeat the change.',
  },
  session_required: {
    status: 403,
    retryable: false,
    title: 'The operation is about the user of a session, and an API key has none.',
    action: 'Sign in at `/app`.',
  },
  key_expires: {
    status: 403,
    retryable: false,
    title: 'An API key that expires lets nobody sign in.',
    action: 'Use a key without `expiresAt`, or the dashboard.',
  },
  user_of_others: {
    status: 403,
    retryable: false,
    title: 'The user also belongs to other accounts, or is an operator.',
    action: 'Ask the operator of this service.',
  },
  user_is_you: {
    status: 403,
    retryable: false,
    title: 'The user is you.',
    action: 'Change your own password and second factor in My profile; it asks for the password.',
  },
  api_key_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such API key.',
    action: 'List the keys with `/v1/api-keys`.',
  },
  user_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such user.',
    action: 'List the users with `/v1/users`.',
  },
  session_not_found: {
    status: 404,
    retryable: false,
    title: 'The user has no such session.',
    action: 'List the sessions with `/v1/sessions`.',
  },
  account_not_usable: {
    status: 404,
    retryable: false,
    title: 'The user belongs to no such account.',
    action: 'Use an account that `/v1/me` lists.',
  },
  account_changed: {
    status: 409,
    retryable: false,
    title: 'The session acts in another account now, chosen in another window.',
    action: 'Load the page again, and choose the account that you want.',
  },
  api_key_ended: {
    status: 409,
    retryable: false,
    title: 'The API key was revoked, replaced or has expired.',
    action: 'Create a new key with `/v1/api-keys`.',
  },
  user_exists: {
    status: 409,
    retryable: false,
    title: 'There is a user with this e-mail address already.',
    action: 'Change the user; only an operator can add one of another account.',
  },
  last_admin: {
    status: 409,
    retryable: false,
    title: 'Nobody would be left to manage the account, or this service.',
    action: 'Give another user the role first.',
  },
  second_factor_missing: {
    status: 409,
    retryable: false,
    title: 'There is no second factor to confirm.',
    action: 'Begin with `POST /v1/session/totp`.',
  },
} as const satisfies Record<string, ErrorKind>;
