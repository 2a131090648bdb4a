import { pageRoute } from '../../app/page-route.ts';

const senders = pageRoute('/senders', () => import('./senders.page.tsx'), 'SendersPage');

export const sendersRoutes = [senders] as const;
