import { pageRoute } from '../../app/page-route.ts';
import { readDeliverySearch } from './delivery-search.ts';

const list = pageRoute('/webhooks', () => import('./webhooks.page.tsx'), 'WebhooksPage');
const add = pageRoute('/webhooks/add', () => import('./add-webhook.page.tsx'), 'AddWebhookPage');
const one = pageRoute(
  '/webhooks/$webhookId',
  () => import('./webhook.page.tsx'),
  'WebhookPage',
  readDeliverySearch,
);
const edit = pageRoute(
  '/webhooks/$webhookId/edit',
  () => import('./edit-webhook.page.tsx'),
  'EditWebhookPage',
);
const delivery = pageRoute('/deliveries/$deliveryId', () => import('./delivery.page.tsx'), 'DeliveryPage');

export const webhooksRoutes = [list, add, one, edit, delivery] as const;
