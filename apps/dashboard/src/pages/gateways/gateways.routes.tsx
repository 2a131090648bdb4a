import { IconAntenna } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { WORDS } from './words.ts';

const getParentRoute = () => shellRoute;

const list = createRoute({
  getParentRoute,
  path: '/gateways',
  component: lazyPage(() => import('./gateways.page.tsx'), 'GatewaysPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.title,
      order: 40,
      icon: IconAntenna,
      needs: 'ops',
      keywords: 'smpp smsc http vendor whatsapp bind carrier',
    },
  },
});

const add = createRoute({
  getParentRoute,
  path: '/gateways/add',
  component: lazyPage(() => import('./add-gateway.page.tsx'), 'AddGatewayPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.add,
      order: 42,
      icon: IconAntenna,
      needs: 'ops',
      isAction: true,
      keywords: 'new create smpp http',
    },
  },
});

const one = createRoute({
  getParentRoute,
  path: '/gateways/$name',
  component: lazyPage(() => import('./gateway.page.tsx'), 'GatewayPage'),
});

const edit = createRoute({
  getParentRoute,
  path: '/gateways/$name/edit',
  component: lazyPage(() => import('./edit-gateway.page.tsx'), 'EditGatewayPage'),
});

export const gatewaysRoutes = [list, add, one, edit] as const;
