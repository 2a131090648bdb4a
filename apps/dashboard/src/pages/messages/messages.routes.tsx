import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readSearch } from './search.ts';

const messagesRoute = createRoute({
  ...inShell,
  path: '/messages',
  validateSearch: readSearch,
  component: lazyPage(() => import('./messages.page.tsx'), 'MessagesPage'),
});

const messageRoute = createRoute({
  ...inShell,
  path: '/messages/$messageId',
  component: lazyPage(() => import('./message.page.tsx'), 'MessagePage'),
});

export const messagesRoutes = [messagesRoute, messageRoute] as const;
