import { IconRoute } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readExplainSearch } from './explain-search.ts';
import { WORDS } from './words.ts';

const getParentRoute = () => shellRoute;

const list = createRoute({
  getParentRoute,
  path: '/routes',
  validateSearch: readExplainSearch,
  component: lazyPage(() => import('./routes.page.tsx'), 'RoutesPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.title,
      order: 41,
      icon: IconRoute,
      needs: 'ops',
      keywords: 'routing what-if explain priority weight failover',
    },
  },
});

const add = createRoute({
  getParentRoute,
  path: '/routes/add',
  component: lazyPage(() => import('./add-route.page.tsx'), 'AddRoutePage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.add,
      order: 43,
      icon: IconRoute,
      needs: 'ops',
      isAction: true,
      keywords: 'new create',
    },
  },
});

const edit = createRoute({
  getParentRoute,
  path: '/routes/$routeId',
  component: lazyPage(() => import('./edit-route.page.tsx'), 'EditRoutePage'),
});

export const routingRoutes = [list, add, edit] as const;
