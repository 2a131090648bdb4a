import { pageRoute } from '../../app/page-route.ts';
import { textOf, withoutUndefined } from '../../parts/search-params.ts';
import { readJobSearch, readParkedSearch } from './operations-search.ts';

const queues = pageRoute('/queues', () => import('./queues.page.tsx'), 'QueuesPage');
const queue = pageRoute('/queues/$name', () => import('./queue.page.tsx'), 'QueuePage', readJobSearch);
const lanes = pageRoute('/lanes', () => import('./lanes.page.tsx'), 'LanesPage');
const parked = pageRoute('/parked', () => import('./parked.page.tsx'), 'ParkedPage', readParkedSearch);
const accounts = pageRoute(
  '/accounts',
  () => import('./accounts.page.tsx'),
  'AccountsPage',
  ({ q }: Record<string, unknown>) => withoutUndefined<{ q?: string }>({ q: textOf(q) }),
);
const system = pageRoute('/system', () => import('./system.page.tsx'), 'SystemPage');

/** Pages of operators: queues, lanes, parked rows, accounts, system. */
export const operationsRoutes = [queues, queue, lanes, parked, accounts, system] as const;
