import { pageRoute } from '../../app/page-route.ts';
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

const usage = pageRoute('/usage', () => import('./usage.page.tsx'), 'UsagePage', readSearch);

export const usageRoutes = [usage] as const;
