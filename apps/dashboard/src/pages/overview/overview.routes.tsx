import { IconHome } from '@tabler/icons-react';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell.route.tsx';

const overview = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview.page.tsx'), 'OverviewPage'),
  staticData: { menu: { group: 'Overview', label: 'Overview', order: 1, icon: IconHome } },
});

export const overviewRoutes = [overview] as const;
