import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readOrphanSearch } from './orphan-search.ts';

const list = createRoute({
  ...inShell,
  path: '/orphan-reports',
  validateSearch: readOrphanSearch,
  component: lazyPage(() => import('./orphan-reports.page.tsx'), 'OrphanReportsPage'),
});

export const orphanReportsRoutes = [list] as const;
