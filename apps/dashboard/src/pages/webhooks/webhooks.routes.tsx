import { IconWebhook } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readDeliverySearch } from './delivery-search.ts';
import { WORDS } from './words.ts';

const getParentRoute = () => shellRoute;

const list = createRoute({
  getParentRoute,
  path: '/webhooks',
  component: lazyPage(() => import('./webhooks.page.tsx'), 'WebhooksPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: WORDS.title,
      order: 1,
      icon: IconWebhook,
      needs: 'webhooks',
      keywords: 'webhook endpoint delivery report push callback replay',
    },
  },
});

const add = createRoute({
  getParentRoute,
  path: '/webhooks/add',
  component: lazyPage(() => import('./add-webhook.page.tsx'), 'AddWebhookPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: WORDS.add,
      order: 12,
      icon: IconWebhook,
      needs: 'webhooks',
      isAction: true,
      keywords: 'new create webhook push',
    },
  },
});

const one = createRoute({
  getParentRoute,
  path: '/webhooks/$webhookId',
  validateSearch: readDeliverySearch,
  component: lazyPage(() => import('./webhook.page.tsx'), 'WebhookPage'),
});

const edit = createRoute({
  getParentRoute,
  path: '/webhooks/$webhookId/edit',
  component: lazyPage(() => import('./edit-webhook.page.tsx'), 'EditWebhookPage'),
});

const delivery = createRoute({
  getParentRoute,
  path: '/deliveries/$deliveryId',
  component: lazyPage(() => import('./delivery.page.tsx'), 'DeliveryPage'),
});

export const webhooksRoutes = [list, add, one, edit, delivery] as const;
