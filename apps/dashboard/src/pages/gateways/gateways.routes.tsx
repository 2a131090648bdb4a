import { pageRoute } from '../../app/page-route.ts';

const list = pageRoute('/gateways', () => import('./gateways.page.tsx'), 'GatewaysPage');
const add = pageRoute('/gateways/add', () => import('./add-gateway.page.tsx'), 'AddGatewayPage');
const one = pageRoute('/gateways/$name', () => import('./gateway.page.tsx'), 'GatewayPage');
const edit = pageRoute('/gateways/$name/edit', () => import('./edit-gateway.page.tsx'), 'EditGatewayPage');

export const gatewaysRoutes = [list, add, one, edit] as const;
