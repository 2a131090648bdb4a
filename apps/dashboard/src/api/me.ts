import { type Me, getMe } from '@signalbox/client';
import { answerOf } from './answer.ts';
import { ApiFailure } from './failure.ts';
import { queries } from './queries.ts';

const KEY = ['me'] as const;
const UNAUTHENTICATED = 401;

/** Reads the session once, or returns undefined when nobody is signed in. */
export async function findSession(): Promise<Me | undefined> {
  try {
    return await queries.ensureQueryData({ queryKey: KEY, queryFn: readSession, staleTime: Infinity });
  } catch (error) {
    if (isSignedOut(error)) return undefined;
    throw error;
  }
}

async function readSession(): Promise<Me> {
  return (await answerOf(getMe())).data;
}

/** Forgets the session, and everything that was read with it. */
export function forgetSession(): void {
  queries.clear();
}

/** Calls a function when a call of a page finds that the session has ended. */
export function onSessionEnd(act: () => void): void {
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] === KEY[0] || !isSignedOut(query.state.error)) return;
    forgetSession();
    act();
  });
  queries.getMutationCache().subscribe(({ type, mutation }) => {
    if (type !== 'updated' || mutation.meta?.['isSignIn'] === true || !isSignedOut(mutation.state.error))
      return;
    forgetSession();
    act();
  });
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === UNAUTHENTICATED;
}
