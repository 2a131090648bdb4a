import { toSignalboxError } from './error.ts';
import { type Client, createClient } from './generated/client/index.ts';

export { SignalboxError, isFailure } from './error.ts';
export * from './generated/index.ts';

/** An installation of Signalbox, and the API key of an account. */
export interface SignalboxOptions {
  /** Address of the API, as `https://sms.example.com`. */
  url: string;
  apiKey: string;
}

/**
 * Creates a client, to be passed to every call: `await sendSms({ client, body: { … } })`. A call resolves to `data`,
 * the body of the response, or to `error`, a `SignalboxError`; with `throwOnError: true` it throws that error instead.
 * A redirect is an error: followed, it would take the key to another address, and turn a POST into a GET.
 */
export function createSignalbox({ url, apiKey }: SignalboxOptions): Client {
  const client = createClient({ baseUrl: url.replace(/\/+$/, ''), auth: apiKey, redirect: 'manual' });
  client.interceptors.response.use(refuseForeign);
  client.interceptors.error.use(toSignalboxError);
  return client;
}

/**
 * Refuses a response without a type, and a text that is not CSV, which another server sent: with status 200 they would
 * count as answers.
 */
function refuseForeign(response: Response): Response | Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || (type !== '' && !/^text\/(?!csv)/.test(type))) return response;
  return response.text().then((text) => Promise.reject(text));
}
