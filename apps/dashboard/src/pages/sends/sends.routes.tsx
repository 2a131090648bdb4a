import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readSearch } from './search.ts';

const sends = createRoute({
  ...inShell,
  path: '/sends',
  validateSearch: readSearch,
  component: lazyPage(() => import('./sends.page.tsx'), 'SendsPage'),
});

const send = createRoute({
  ...inShell,
  path: '/sends/$sendId',
  component: lazyPage(() => import('./send.page.tsx'), 'SendPage'),
});

export const sendsRoutes = [sends, send] as const;
