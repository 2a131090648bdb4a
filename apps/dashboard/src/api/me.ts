import { client } from '@signalbox/client';
import type { Session } from '../app/session.ts';
import { answerOf } from './answer.ts';
import { ApiFailure } from './failure.ts';
import { queries } from './queries.ts';

/** Reads the session, or undefined when nobody is signed in. */
export async function findSession(): Promise<Session | undefined> {
  return queries
    .ensureQueryData({ queryKey: ['me'], queryFn: readSession, staleTime: Infinity })
    .catch(endOfSession);
}

/** Session of a key at an installation that does not know /v1/me yet. */
const ANY_KEY: Session = {
  kind: 'key',
  name: 'API key',
  accountId: '',
  accountName: 'Account of the key',
  accounts: [],
  scopes: ['send', 'verify', 'templates', 'webhooks', 'manage', 'ops'],
  readOnly: false,
  features: { simulator: true },
};

async function readSession(): Promise<Session> {
  const call = client.get({ url: '/v1/me', security: [{ name: 'apikey', type: 'apiKey' }] });
  return ((await answerOf(call)) as { data: Session }).data;
}

function endOfSession(error: unknown): Session | undefined {
  if (error instanceof ApiFailure && error.status === 404 && client.getConfig().auth) return ANY_KEY;
  if (error instanceof ApiFailure && (error.status === 401 || error.status === 404)) return undefined;
  throw error;
}

/** Forgets the session and everything that was read with it. */
export function forgetSession(): void {
  queries.clear();
}
