import { pageRoute } from '../../app/page-route.ts';

const verification = pageRoute('/verification', () => import('./verification.page.tsx'), 'VerificationPage');
const add = pageRoute('/verification/configs/add', () => import('./add-config.page.tsx'), 'AddConfigPage');
const config = pageRoute('/verification/configs/$configId', () => import('./config.page.tsx'), 'ConfigPage');
const one = pageRoute(
  '/verification/$verifyId',
  () => import('./verification-detail.page.tsx'),
  'VerificationDetailPage',
);

export const verificationRoutes = [verification, add, config, one] as const;
