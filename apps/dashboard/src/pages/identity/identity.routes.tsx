import { pageRoute } from '../../app/page-route.ts';
import { readAuditSearch } from './audit-search.ts';

const keys = pageRoute('/api-keys', () => import('./api-keys.page.tsx'), 'ApiKeysPage');
const users = pageRoute('/users', () => import('./users.page.tsx'), 'UsersPage');
const audit = pageRoute('/audit', () => import('./audit.page.tsx'), 'AuditPage', readAuditSearch);
const profile = pageRoute('/profile', () => import('./profile.page.tsx'), 'ProfilePage');

export const identityRoutes = [keys, users, audit, profile] as const;
