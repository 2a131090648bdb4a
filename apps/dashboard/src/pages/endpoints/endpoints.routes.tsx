import { IconPlugConnectedX } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readEndpointSearch } from './endpoint-search.ts';
import { WORDS } from './words.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/endpoints',
  validateSearch: readEndpointSearch,
  component: lazyPage(() => import('./endpoints.page.tsx'), 'EndpointsPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.title,
      order: 43,
      icon: IconPlugConnectedX,
      needs: 'ops',
      keywords: 'breaker webhook push failing',
    },
  },
});

export const endpointsRoutes = [list] as const;
