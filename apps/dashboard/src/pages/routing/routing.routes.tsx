import { pageRoute } from '../../app/page-route.ts';
import { readExplainSearch } from './explain-search.ts';

const list = pageRoute('/routes', () => import('./routes.page.tsx'), 'RoutesPage', readExplainSearch);
const add = pageRoute('/routes/add', () => import('./add-route.page.tsx'), 'AddRoutePage');
const edit = pageRoute('/routes/$routeId', () => import('./edit-route.page.tsx'), 'EditRoutePage');

export const routingRoutes = [list, add, edit] as const;
