import { pageRoute } from '../../app/page-route.ts';

const list = pageRoute('/chat-accounts', () => import('./chat-accounts.page.tsx'), 'ChatAccountsPage');
const detail = pageRoute('/chat-accounts/$id', () => import('./chat-account.page.tsx'), 'ChatAccountPage');

export const chatAccountsRoutes = [list, detail] as const;
