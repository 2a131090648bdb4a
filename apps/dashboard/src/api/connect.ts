import { client } from '@signalbox/client/dashboard-client';
import { ACCOUNT_HEADER, accountOfPage } from './account-of-page.ts';

declare global {
  interface Window {
    /** The answer of `GET /v1/me` that public/start.js asked for. */
    signalboxSession?: Promise<Response> | undefined;
  }
}

/** Points the client at the origin of the page; the browser adds the session cookie. */
export function connect(): void {
  client.setConfig({ baseUrl: window.location.origin, credentials: 'same-origin', fetch: fetchOrTake });
}

/** Fetches, except for the session that was asked for before this script ran: its answer is taken once. */
const fetchOrTake: typeof fetch = (input, init) => {
  const early = window.signalboxSession;
  const path = input instanceof Request ? new URL(input.url).pathname : '';
  nameAccount(input, path);
  if (!early || path !== '/v1/me') return fetch(input, init);
  window.signalboxSession = undefined;
  return early;
};

/** Names the account of the page, except in calls about the session itself. */
function nameAccount(input: Parameters<typeof fetch>[0], path: string): void {
  const account = accountOfPage();
  if (account === undefined || path === '/v1/me' || path.startsWith('/v1/session')) return;
  if (input instanceof Request) input.headers.set(ACCOUNT_HEADER, account);
}
