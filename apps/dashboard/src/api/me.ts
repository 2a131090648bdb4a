import { type Me, getMe } from '@signalbox/client';
import { answerOf } from './answer.ts';
import { ApiFailure } from './failure.ts';
import { queries } from './queries.ts';

const KEY = ['me'] as const;
const UNAUTHENTICATED = 401;

/** Set when a session of this page ended, until the next one begins. */
let hasEnded = false;

/** Reads the session once, or returns undefined when nobody is signed in. */
export async function findSession(): Promise<Me | undefined> {
  try {
    const session = await queries.ensureQueryData({
      queryKey: KEY,
      queryFn: readSession,
      staleTime: Infinity,
      gcTime: Infinity,
    });
    hasEnded = false;
    return session;
  } catch (error) {
    if (isSignedOut(error)) return undefined;
    throw error;
  }
}

async function readSession(): Promise<Me> {
  return (await answerOf(getMe())).data;
}

/** Reads the session again, for the next page that is opened. */
export async function refreshSession(): Promise<void> {
  queries.setQueryData(KEY, await readSession());
}

/** Forgets the session, and everything that was read with it. */
export function forgetSession(): void {
  queries.clear();
}

/** True after a call found that the session of the page had ended, and before the next sign-in. */
export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** Calls a function when a call of a page finds that the session has ended. */
export function onSessionEnd(act: () => void): void {
  const end = () => {
    hasEnded = true;
    forgetSession();
    act();
  };
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] !== KEY[0] && isSignedOut(query.state.error)) end();
  });
  queries.getMutationCache().subscribe(({ type, mutation }) => {
    const isSignIn = mutation?.meta?.['isSignIn'] === true;
    if (type === 'updated' && !isSignIn && isSignedOut(mutation.state.error)) end();
  });
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === UNAUTHENTICATED;
}
