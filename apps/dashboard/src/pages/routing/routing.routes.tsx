import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readExplainSearch } from './explain-search.ts';

const list = createRoute({
  ...inShell,
  path: '/routes',
  validateSearch: readExplainSearch,
  component: lazyPage(() => import('./routes.page.tsx'), 'RoutesPage'),
});

const add = createRoute({
  ...inShell,
  path: '/routes/add',
  component: lazyPage(() => import('./add-route.page.tsx'), 'AddRoutePage'),
});

const edit = createRoute({
  ...inShell,
  path: '/routes/$routeId',
  component: lazyPage(() => import('./edit-route.page.tsx'), 'EditRoutePage'),
});

export const routingRoutes = [list, add, edit] as const;
