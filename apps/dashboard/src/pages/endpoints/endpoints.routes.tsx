import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readEndpointSearch } from './endpoint-search.ts';

const list = createRoute({
  ...inShell,
  path: '/endpoints',
  validateSearch: readEndpointSearch,
  component: lazyPage(() => import('./endpoints.page.tsx'), 'EndpointsPage'),
});

export const endpointsRoutes = [list] as const;
