import { getRouteApi } from '@tanstack/react-router';
import type { Scope, Session } from './session.ts';

const shell = getRouteApi('/shell');

/** Returns the session of the page, which exists on every page behind the sign-in. */
export function useSession(): Session {
  return shell.useRouteContext({ select: (context) => context.session });
}

/** True when the session may write with a scope. */
export function useMay(scope: Scope): boolean {
  const { scopes, readOnly } = useSession();
  return !readOnly && scopes.includes(scope);
}
