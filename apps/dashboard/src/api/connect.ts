import { client } from '@signalbox/client';

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
  if (!early || !(input instanceof Request) || new URL(input.url).pathname !== '/v1/me')
    return fetch(input, init);
  window.signalboxSession = undefined;
  return early;
};
