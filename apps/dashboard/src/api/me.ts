import { type Me, chooseAccount, getMe } from '@signalbox/client';
import { SESSION_KEY } from './account-of-page.ts';
import { answerOf } from './answer.ts';
import { ApiFailure } from './failure.ts';
import { queries } from './queries.ts';
import { endSessionOfPage, resumeSessionOfPage, sessionHasEnded } from './session-end.ts';

const UNAUTHENTICATED = 401;

/** Reads the session once, or returns undefined when nobody is signed in. */
export async function findSession(): Promise<Me | undefined> {
  try {
    return await queries.ensureQueryData({
      queryKey: SESSION_KEY,
      queryFn: beginSession,
      staleTime: Infinity,
      gcTime: Infinity,
    });
  } catch (error) {
    if (error instanceof ApiFailure && error.status === UNAUTHENTICATED) return undefined;
    throw error;
  }
}

async function beginSession(): Promise<Me> {
  const session = await readSession();
  resumeSessionOfPage();
  return session;
}

async function readSession(): Promise<Me> {
  return (await answerOf(getMe())).data;
}

/**
 * Reads the session again, for the next page that is opened, unless another window chose another account. After the end of
 * a session it resumes the page when its user has signed in elsewhere, to the same account. The session of another user
 * ends that of the page, whose name and buttons are not theirs.
 */
export async function refreshSession(): Promise<void> {
  const session = await readSession();
  const before = queries.getQueryData<Me>(SESSION_KEY);
  if (before && session.id !== before.id) endSessionOfPage('replaced');
  else if (session.accountId === before?.accountId) resume(session);
}

/**
 * Continues the page after its user has signed in: in the account of the page, and with fresh answers.
 *
 * @throws ApiFailure when the user may no longer act in the account
 */
export async function resumePage({ accountId }: Me): Promise<void> {
  let session = await readSession();
  if (session.accountId !== accountId) {
    await answerOf(chooseAccount({ body: { accountId } }));
    session = await readSession();
  }
  resume(session);
}

function resume(session: Me): void {
  queries.setQueryData(SESSION_KEY, session);
  if (!sessionHasEnded()) return;
  resumeSessionOfPage();
  void queries.invalidateQueries(undefined, { cancelRefetch: false });
}

/** Forgets the session, and everything that was read with it. */
export function forgetSession(): void {
  queries.clear();
}
