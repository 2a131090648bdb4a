import { pageRoute } from '../../app/page-route.ts';

const optOuts = pageRoute(
  '/opt-outs',
  () => import('./opt-outs.page.tsx'),
  'OptOutsPage',
  ({ recipient }: Record<string, unknown>): { recipient?: string } =>
    typeof recipient === 'string' || typeof recipient === 'number' ? { recipient: String(recipient) } : {},
);

export const optOutsRoutes = [optOuts] as const;
