import { client } from '@signalbox/client';

/** Points the client at the origin of the page. */
export function connect(): void {
  client.setConfig({ baseUrl: window.location.origin, credentials: 'same-origin' });
}

/** Makes all calls with an API key, which is kept in memory only; undefined ends it. */
export function signWith(apiKey: string | undefined): void {
  client.setConfig({ auth: apiKey });
}
