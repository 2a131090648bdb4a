import { listAddressProblems } from '../address-problems.ts';
import type { GatewayKind } from '../gateway-kind.ts';
import { cloudApiCallbacks } from './callback.ts';
import { CloudApiGateway } from './cloud-api.gateway.ts';
import { CloudApiSettings } from './settings.ts';

/** Gateways to the WhatsApp Cloud API of Meta. */
export const CLOUD_API_KIND: GatewayKind<CloudApiSettings> = {
  kind: 'cloud-api',
  channels: ['chatapp'],
  Settings: CloudApiSettings,
  secrets: [
    {
      name: 'accessToken',
      required: true,
      help: 'the token of a system user with whatsapp_business_messaging and whatsapp_business_management',
    },
    { name: 'appSecret', required: true, help: 'the app secret of the Meta app, which signs its webhooks' },
    {
      name: 'verifyToken',
      required: true,
      help: 'a text of your choice, which you also enter where you subscribe to webhooks',
    },
  ],
  check: ({ businessAccountId, appId, baseUrl, allowPrivateNetwork }) => [
    ...(appId === businessAccountId
      ? [{ field: 'settings.appId', problem: 'must be the id of the app, not of the business account' }]
      : []),
    ...listAddressProblems(baseUrl, { field: 'settings.baseUrl', allowPrivateNetwork }),
  ],
  hostOf: ({ baseUrl }) => new URL(baseUrl).hostname,
  open: (row, host) => new CloudApiGateway(row, host),
  callbacks: ({ secrets }) =>
    cloudApiCallbacks({
      appSecret: secrets['appSecret'] ?? '',
      verifyToken: secrets['verifyToken'] ?? '',
    }),
};
