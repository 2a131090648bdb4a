import { pageRoute } from '../../app/page-route.ts';
import { readSearch } from './search.ts';

const messagesRoute = pageRoute('/messages', () => import('./messages.page.tsx'), 'MessagesPage', readSearch);
const messageRoute = pageRoute('/messages/$messageId', () => import('./message.page.tsx'), 'MessagePage');

export const messagesRoutes = [messagesRoute, messageRoute] as const;
