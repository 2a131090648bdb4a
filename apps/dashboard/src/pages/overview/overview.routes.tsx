import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../app/shell.route.tsx';
import { OverviewPage } from './overview.page.tsx';
import { readFiguresAhead } from './use-figures.ts';

/** Most visits begin here, so the page is part of the first script. */
const overview = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  loader: () => readFiguresAhead(),
  component: OverviewPage,
});

export const overviewRoutes = [overview] as const;
