import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { findSession } from '../api/me.ts';
import { NotFound } from './not-found.tsx';
import { PageFailure } from './page-failure.tsx';
import { Shell } from './shell.tsx';
import { pendingToken } from './sign-in-token.ts';

export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

/** Layout of every page behind the sign-in. Areas add their routes to it. */
export const shellRoute = createRoute({
  id: 'shell',
  getParentRoute: () => rootRoute,
  beforeLoad: async ({ location }) => {
    const session = pendingToken() === undefined ? await findSession() : undefined;
    if (session) return { session };
    const next = location.href === '/' ? {} : { next: location.href };
    throw redirect({ to: '/sign-in', search: next, replace: true });
  },
  component: Shell,
  errorComponent: PageFailure,
  notFoundComponent: NotFound,
});

/** Every path that no page has. */
export const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound });
