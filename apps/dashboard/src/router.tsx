import { createRouter } from '@tanstack/react-router';
import { signInRoute } from './app/sign-in.route.tsx';
import { rootRoute, shellRoute } from './app/shell.route.tsx';
import { overviewRoutes } from './pages/overview/overview.routes.tsx';
import { templatesRoutes } from './pages/templates/templates.routes.tsx';

/** Routes of all areas; one line each. */
const tree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([...overviewRoutes, ...templatesRoutes]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: '/app',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
