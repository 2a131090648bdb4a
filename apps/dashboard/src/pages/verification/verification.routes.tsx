import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const verification = createRoute({
  ...inShell,
  path: '/verification',
  component: lazyPage(() => import('./verification.page.tsx'), 'VerificationPage'),
});

const add = createRoute({
  ...inShell,
  path: '/verification/configs/add',
  component: lazyPage(() => import('./add-config.page.tsx'), 'AddConfigPage'),
});

const config = createRoute({
  ...inShell,
  path: '/verification/configs/$configId',
  component: lazyPage(() => import('./config.page.tsx'), 'ConfigPage'),
});

const one = createRoute({
  ...inShell,
  path: '/verification/$verifyId',
  component: lazyPage(() => import('./verification-detail.page.tsx'), 'VerificationDetailPage'),
});

export const verificationRoutes = [verification, add, config, one] as const;
