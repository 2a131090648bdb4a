import { IconShieldCheck } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';

const verification = createRoute({
  getParentRoute: () => shellRoute,
  path: '/verification',
  component: lazyPage(() => import('./verification.page.tsx'), 'VerificationPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'Verification',
      order: 60,
      icon: IconShieldCheck,
      needs: 'verify',
      keywords: 'otp one-time password code fraud conversion',
    },
  },
});

const add = createRoute({
  getParentRoute: () => shellRoute,
  path: '/verification/configs/add',
  component: lazyPage(() => import('./add-config.page.tsx'), 'AddConfigPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'Add verification configuration',
      order: 62,
      icon: IconShieldCheck,
      needs: 'manage',
      isAction: true,
      keywords: 'new create otp code',
    },
  },
});

const config = createRoute({
  getParentRoute: () => shellRoute,
  path: '/verification/configs/$configId',
  component: lazyPage(() => import('./config.page.tsx'), 'ConfigPage'),
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/verification/$verifyId',
  component: lazyPage(() => import('./verification-detail.page.tsx'), 'VerificationDetailPage'),
});

export const verificationRoutes = [verification, add, config, one] as const;
