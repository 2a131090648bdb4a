import { client } from '@signalbox/client';

/** Points the client at the origin of the page; the browser adds the session cookie. */
export function connect(): void {
  client.setConfig({ baseUrl: window.location.origin, credentials: 'same-origin' });
}
