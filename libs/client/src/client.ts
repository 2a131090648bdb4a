import { type Client, createClient } from './generated/client/index.ts';

export { client } from './generated/client.gen.ts';
export * from './generated/index.ts';

/** An installation of Signalbox, and the API key of an account. */
export interface SignalboxOptions {
  /** Address of the API, as `https://sms.example.com`. */
  url: string;
  apiKey: string;
}

/**
 * Creates a client, to be passed to every call: `await sendSms({ client, body: { … } })`. A call resolves to `data`,
 * the body of the answer, or to `error`, the body of a failure; with `throwOnError: true` it throws that body
 * instead.
 */
export function createSignalbox({ url, apiKey }: SignalboxOptions): Client {
  return createClient({ baseUrl: url.replace(/\/+$/, ''), auth: apiKey });
}
