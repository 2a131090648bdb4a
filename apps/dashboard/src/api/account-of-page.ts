import type { Me } from '@signalbox/client';
import { queries } from './queries.ts';

/** Key of the query of the session. */
export const SESSION_KEY = ['me'] as const;

/**
 * Header that names the account which the page shows. The api refuses a call when another window of the browser has chosen
 * another account for their session.
 */
export const ACCOUNT_HEADER = 'signalbox-account';

/** The account of the page; undefined before a sign-in. */
export function accountOfPage(): string | undefined {
  return queries.getQueryData<Me>(SESSION_KEY)?.accountId;
}
