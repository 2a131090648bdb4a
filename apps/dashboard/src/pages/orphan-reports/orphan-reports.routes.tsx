import { pageRoute } from '../../app/page-route.ts';
import { readOrphanSearch } from './orphan-search.ts';

const list = pageRoute(
  '/orphan-reports',
  () => import('./orphan-reports.page.tsx'),
  'OrphanReportsPage',
  readOrphanSearch,
);

export const orphanReportsRoutes = [list] as const;
