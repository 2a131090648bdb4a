import { IconMessages } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readSearch } from './search.ts';

const messagesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/messages',
  validateSearch: readSearch,
  component: lazyPage(() => import('./messages.page.tsx'), 'MessagesPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'Messages',
      order: 20,
      icon: IconMessages,
      needs: 'send',
      keywords: 'search find list export csv number recipient',
    },
  },
});

const messageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/messages/$messageId',
  component: lazyPage(() => import('./message.page.tsx'), 'MessagePage'),
});

export const messagesRoutes = [messagesRoute, messageRoute] as const;
