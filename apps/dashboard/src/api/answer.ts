import { toFailure } from './failure.ts';

/** The outcome of a function of the client. */
export type ClientResult<Body> = Promise<{
  data?: Body | undefined;
  error?: unknown;
  response?: Response | undefined;
}>;

/**
 * Waits for a call of the client.
 *
 * @throws ApiFailure when the api refuses it or does not answer
 */
export async function answerOf<Body>(call: ClientResult<Body>): Promise<Body> {
  const { data, error, response } = await call;
  if (response?.ok && error === undefined) return data as Body;
  throw toFailure(error, response);
}
