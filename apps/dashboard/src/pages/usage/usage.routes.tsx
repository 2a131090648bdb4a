import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { PERIODS } from './words.ts';

/** The period and the split: search parameters of the address. */
interface UsageSearch {
  days?: keyof typeof PERIODS;
  by?: 'sender' | 'channel';
}

function readSearch({ days, by }: Record<string, unknown>): UsageSearch {
  return {
    ...(String(days) in PERIODS && { days: String(days) as keyof typeof PERIODS }),
    ...((by === 'sender' || by === 'channel') && { by }),
  };
}

const usage = createRoute({
  ...inShell,
  path: '/usage',
  validateSearch: readSearch,
  component: lazyPage(() => import('./usage.page.tsx'), 'UsagePage'),
});

export const usageRoutes = [usage] as const;
