import { pageRoute } from '../../app/page-route.ts';
import { readEndpointSearch } from './endpoint-search.ts';

const list = pageRoute(
  '/endpoints',
  () => import('./endpoints.page.tsx'),
  'EndpointsPage',
  readEndpointSearch,
);

export const endpointsRoutes = [list] as const;
