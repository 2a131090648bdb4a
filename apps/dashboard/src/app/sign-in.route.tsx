import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.ts';
import { rootRoute } from './shell.route.tsx';
import { type SignInReason, isReason } from './sign-in-words.ts';

interface SignInSearch {
  next?: string;
  /** Reason for which a sign-in with the identity provider failed. */
  problem?: SignInReason;
}

/** The page in front of all others; `next` is the path to open afterwards. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ next, problem }: Record<string, unknown>): SignInSearch => ({
    ...(isPath(next) && { next }),
    ...(isReason(problem) && { problem }),
  }),
  component: lazyPage(() => import('./sign-in.page.tsx'), 'SignInPage'),
});

/** A path of this dashboard, never an address elsewhere. */
function isPath(next: unknown): next is string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next);
}
