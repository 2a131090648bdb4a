import { IconStackPush } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readSearch } from './search.ts';

const sends = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sends',
  validateSearch: readSearch,
  component: lazyPage(() => import('./sends.page.tsx'), 'SendsPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'Sends',
      order: 25,
      icon: IconStackPush,
      needs: 'send',
      keywords: 'campaign bulk progress cancel submission',
    },
  },
});

const send = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sends/$sendId',
  component: lazyPage(() => import('./send.page.tsx'), 'SendPage'),
});

export const sendsRoutes = [sends, send] as const;
