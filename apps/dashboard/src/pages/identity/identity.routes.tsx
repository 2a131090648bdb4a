import { IconHistory, IconKey, IconUserCircle, IconUsers } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { readAuditSearch } from './audit-search.ts';
import { WORDS } from './words.ts';

const getParentRoute = () => shellRoute;

const keys = createRoute({
  getParentRoute,
  path: '/api-keys',
  component: lazyPage(() => import('./api-keys.page.tsx'), 'ApiKeysPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: WORDS.keys.title,
      order: 10,
      icon: IconKey,
      needs: 'manage',
      keywords: 'token secret rotate revoke scope',
    },
  },
});

const users = createRoute({
  getParentRoute,
  path: '/users',
  component: lazyPage(() => import('./users.page.tsx'), 'UsersPage'),
  staticData: {
    menu: {
      group: 'Utility Manager',
      label: WORDS.users.title,
      order: 11,
      icon: IconUsers,
      needs: 'manage',
      keywords: 'invite role viewer editor admin',
    },
  },
});

const audit = createRoute({
  getParentRoute,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('./audit.page.tsx'), 'AuditPage'),
  staticData: {
    menu: {
      group: 'Operations',
      label: WORDS.audit.title,
      order: 85,
      icon: IconHistory,
      needs: 'manage',
      keywords: 'log history who changed',
    },
  },
});

const profile = createRoute({
  getParentRoute,
  path: '/profile',
  component: lazyPage(() => import('./profile.page.tsx'), 'ProfilePage'),
  staticData: {
    menu: {
      group: 'You',
      label: WORDS.profile.title,
      order: 1,
      icon: IconUserCircle,
      keywords: 'password totp second factor sessions',
    },
  },
});

export const identityRoutes = [keys, users, audit, profile] as const;
