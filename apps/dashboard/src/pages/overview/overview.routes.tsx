import { IconHome } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell.route.tsx';
import { OverviewPage } from './overview.page.tsx';
import { readFiguresAhead } from './use-figures.ts';

/** The first page of most visits, so that it comes with the script of the frame. */
const overview = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  loader: () => readFiguresAhead(),
  component: OverviewPage,
  staticData: { menu: { group: 'Overview', label: 'Overview', order: 1, icon: IconHome } },
});

export const overviewRoutes = [overview] as const;
