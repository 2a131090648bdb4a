import { IconMailQuestion } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readOrphanSearch } from './orphan-search.ts';
import { WORDS } from './words.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/orphan-reports',
  validateSearch: readOrphanSearch,
  component: lazyPage(() => import('./orphan-reports.page.tsx'), 'OrphanReportsPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.title,
      order: 42,
      icon: IconMailQuestion,
      needs: 'ops',
      keywords: 'unmatched receipt id rule inbound',
    },
  },
});

export const orphanReportsRoutes = [list] as const;
