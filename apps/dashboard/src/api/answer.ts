import { toFailure } from './failure.ts';
import { endSessionOfPage, isSessionEnd } from './session-end.ts';

/** The outcome of a function of the client. */
export type ClientResult<Body> = Promise<{
  data?: Body | undefined;
  error?: unknown;
  response?: Response | undefined;
}>;

/**
 * Waits for a call of the client. A call that finds the session ended makes the page ask for a sign-in.
 *
 * @throws ApiFailure when the api refuses it or does not answer
 */
export async function answerOf<Body>(call: ClientResult<Body>): Promise<Body> {
  const { data, error, response } = await call;
  if (response?.ok && error === undefined) return data as Body;
  const failure = toFailure(error, response);
  if (isSessionEnd(failure.code)) endSessionOfPage();
  throw failure;
}
