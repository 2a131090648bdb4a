import { pageRoute } from '../../app/page-route.ts';
import { readSearch } from './search.ts';

const sends = pageRoute('/sends', () => import('./sends.page.tsx'), 'SendsPage', readSearch);
const send = pageRoute('/sends/$sendId', () => import('./send.page.tsx'), 'SendPage');

export const sendsRoutes = [sends, send] as const;
