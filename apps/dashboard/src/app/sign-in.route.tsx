import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from './shell.route.tsx';

/** The page in front of all others; `next` is the path to open afterwards. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (isPath(next) ? { next } : {}),
  component: lazyRouteComponent(() => import('./sign-in.page.tsx'), 'SignInPage'),
});

/** A path of this dashboard, never an address elsewhere. */
function isPath(next: unknown): next is string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next);
}
