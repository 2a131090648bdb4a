import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const senders = createRoute({
  ...inShell,
  path: '/senders',
  component: lazyPage(() => import('./senders.page.tsx'), 'SendersPage'),
});

export const sendersRoutes = [senders] as const;
