import { IconDeviceMobileMessage } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';

const senders = createRoute({
  getParentRoute: () => shellRoute,
  path: '/senders',
  component: lazyPage(() => import('./senders.page.tsx'), 'SendersPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: 'Sender numbers',
      order: 40,
      icon: IconDeviceMobileMessage,
      needs: 'manage',
      keywords: 'whatsapp chat account msisdn assign release',
    },
  },
});

export const sendersRoutes = [senders] as const;
