import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const list = createRoute({
  ...inShell,
  path: '/chat-accounts',
  component: lazyPage(() => import('./chat-accounts.page.tsx'), 'ChatAccountsPage'),
});

const detail = createRoute({
  ...inShell,
  path: '/chat-accounts/$id',
  component: lazyPage(() => import('./chat-account.page.tsx'), 'ChatAccountPage'),
});

export const chatAccountsRoutes = [list, detail] as const;
