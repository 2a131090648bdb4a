import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const optOuts = createRoute({
  ...inShell,
  path: '/opt-outs',
  validateSearch: ({ recipient }: Record<string, unknown>): { recipient?: string } =>
    typeof recipient === 'string' || typeof recipient === 'number' ? { recipient: String(recipient) } : {},
  component: lazyPage(() => import('./opt-outs.page.tsx'), 'OptOutsPage'),
});

export const optOutsRoutes = [optOuts] as const;
