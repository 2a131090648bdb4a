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
    title: 'A write with the cookie of a session must come from a page of the dashboard.',
    action: 'Outside the dashboard, send an API key instead of the cookie.',
  },
  role_read_only: {
    status: 403,
    retryable: false,
    title: 'The role "viewer" can read only.',
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
    title: 'The user has no password to confirm the change with, and signed in more than 10 minutes ago.',
    action: 'Sign in again with the identity provider, and repeat the change.',
  },
  session_required: {
    status: 403,
    retryable: false,
    title: 'The operation is for a signed-in user, and the request has an API key.',
    action: 'Sign in at `/app`, and send the request with the cookie of the session.',
  },
  key_expires: {
    status: 403,
    retryable: false,
    title: 'An API key that expires cannot let users sign in.',
    action: 'Use a key without `expiresAt`, or make the change in the dashboard.',
  },
  user_of_others: {
    status: 403,
    retryable: false,
    title: 'The user also belongs to other accounts, or is an operator.',
    action: 'Ask the operator of this service to make the change.',
  },
  user_is_you: {
    status: 403,
    retryable: false,
    title: 'The operation does not apply to your own user.',
    action: 'Change your own password and second factor in My profile.',
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
    title: 'The user belongs to no account with this id.',
    action: 'Use an account that `/v1/me` lists.',
  },
  account_changed: {
    status: 409,
    retryable: false,
    title: 'The session now acts in another account, which was chosen in another window.',
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
    title: 'A user with this e-mail address already exists.',
    action: 'Change that user; only an operator can add a user of another account to yours.',
  },
  last_admin: {
    status: 409,
    retryable: false,
    title: 'Nobody would be left to manage the account, or this service.',
    action: 'Give the role to another user first.',
  },
  second_factor_missing: {
    status: 409,
    retryable: false,
    title: 'No new second factor waits to be confirmed.',
    action: 'Begin with `POST /v1/session/totp`.',
  },
} as const satisfies Record<string, ErrorKind>;
