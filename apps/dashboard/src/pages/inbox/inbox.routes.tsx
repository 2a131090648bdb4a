import { pageRoute } from '../../app/page-route.ts';
import { readInboxSearch } from './inbox-search.ts';

const inbox = pageRoute('/inbox', () => import('./inbox.page.tsx'), 'InboxPage', readInboxSearch);

export const inboxRoutes = [inbox] as const;
