import { IconBan } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';

const optOuts = createRoute({
  getParentRoute: () => shellRoute,
  path: '/opt-outs',
  validateSearch: ({ recipient }: Record<string, unknown>): { recipient?: string } =>
    typeof recipient === 'string' || typeof recipient === 'number' ? { recipient: String(recipient) } : {},
  component: lazyPage(() => import('./opt-outs.page.tsx'), 'OptOutsPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'Opt-outs',
      order: 75,
      icon: IconBan,
      needs: 'manage',
      keywords: 'stop unsubscribe refuse',
    },
  },
});

export const optOutsRoutes = [optOuts] as const;
