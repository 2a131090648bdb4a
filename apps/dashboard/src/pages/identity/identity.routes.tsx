import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { readAuditSearch } from './audit-search.ts';

const keys = createRoute({
  ...inShell,
  path: '/api-keys',
  component: lazyPage(() => import('./api-keys.page.tsx'), 'ApiKeysPage'),
});

const users = createRoute({
  ...inShell,
  path: '/users',
  component: lazyPage(() => import('./users.page.tsx'), 'UsersPage'),
});

const audit = createRoute({
  ...inShell,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('./audit.page.tsx'), 'AuditPage'),
});

const profile = createRoute({
  ...inShell,
  path: '/profile',
  component: lazyPage(() => import('./profile.page.tsx'), 'ProfilePage'),
});

export const identityRoutes = [keys, users, audit, profile] as const;
