import { IconBuildingStore } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { WORDS } from './words.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/chat-accounts',
  component: lazyPage(() => import('./chat-accounts.page.tsx'), 'ChatAccountsPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: WORDS.title,
      order: 60,
      icon: IconBuildingStore,
      needs: 'send',
      keywords: 'whatsapp business account sender number session window',
    },
  },
});

const detail = createRoute({
  getParentRoute: () => shellRoute,
  path: '/chat-accounts/$id',
  component: lazyPage(() => import('./chat-account.page.tsx'), 'ChatAccountPage'),
});

export const chatAccountsRoutes = [list, detail] as const;
