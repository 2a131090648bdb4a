import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readDeliverySearch } from './delivery-search.ts';

const list = createRoute({
  ...inShell,
  path: '/webhooks',
  component: lazyPage(() => import('./webhooks.page.tsx'), 'WebhooksPage'),
});

const add = createRoute({
  ...inShell,
  path: '/webhooks/add',
  component: lazyPage(() => import('./add-webhook.page.tsx'), 'AddWebhookPage'),
});

const one = createRoute({
  ...inShell,
  path: '/webhooks/$webhookId',
  validateSearch: readDeliverySearch,
  component: lazyPage(() => import('./webhook.page.tsx'), 'WebhookPage'),
});

const edit = createRoute({
  ...inShell,
  path: '/webhooks/$webhookId/edit',
  component: lazyPage(() => import('./edit-webhook.page.tsx'), 'EditWebhookPage'),
});

const delivery = createRoute({
  ...inShell,
  path: '/deliveries/$deliveryId',
  component: lazyPage(() => import('./delivery.page.tsx'), 'DeliveryPage'),
});

export const webhooksRoutes = [list, add, one, edit, delivery] as const;
