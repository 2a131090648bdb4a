import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { findSession } from '../api/me.ts';
import { NotFound } from './not-found.tsx';
import { PageFailure } from './page-failure.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

/** Layout of every page behind the sign-in. Areas add their routes to it. */
export const shellRoute = createRoute({
  id: 'shell',
  getParentRoute: () => rootRoute,
  beforeLoad: async ({ location }) => {
    const session = await findSession();
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session };
  },
  component: Shell,
  errorComponent: PageFailure,
  notFoundComponent: NotFound,
});
