import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const list = createRoute({
  ...inShell,
  path: '/gateways',
  component: lazyPage(() => import('./gateways.page.tsx'), 'GatewaysPage'),
});

const add = createRoute({
  ...inShell,
  path: '/gateways/add',
  component: lazyPage(() => import('./add-gateway.page.tsx'), 'AddGatewayPage'),
});

const one = createRoute({
  ...inShell,
  path: '/gateways/$name',
  component: lazyPage(() => import('./gateway.page.tsx'), 'GatewayPage'),
});

const edit = createRoute({
  ...inShell,
  path: '/gateways/$name/edit',
  component: lazyPage(() => import('./edit-gateway.page.tsx'), 'EditGatewayPage'),
});

export const gatewaysRoutes = [list, add, one, edit] as const;
