import { pageRoute } from '../../app/page-route.ts';
import { KINDS } from './words.ts';

export type ParkedKind = keyof typeof KINDS;

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type JobState = (typeof STATES)[number];

const queues = pageRoute('/queues', () => import('./queues.page.tsx'), 'QueuesPage');
const queue = pageRoute(
  '/queues/$name',
  () => import('./queue.page.tsx'),
  'QueuePage',
  ({ state }: Record<string, unknown>): { state?: JobState } => {
    const known = STATES.find((each) => each === state);
    return known === undefined ? {} : { state: known };
  },
);
const lanes = pageRoute('/lanes', () => import('./lanes.page.tsx'), 'LanesPage');
const parked = pageRoute(
  '/parked',
  () => import('./parked.page.tsx'),
  'ParkedPage',
  ({ kind }: Record<string, unknown>): { kind?: ParkedKind } =>
    typeof kind === 'string' && kind in KINDS ? { kind: kind as ParkedKind } : {},
);
const accounts = pageRoute(
  '/accounts',
  () => import('./accounts.page.tsx'),
  'AccountsPage',
  ({ q }: Record<string, unknown>): { q?: string } => (typeof q === 'string' && q !== '' ? { q } : {}),
);
const system = pageRoute('/system', () => import('./system.page.tsx'), 'SystemPage');

/** Pages of operators: queues, lanes, parked rows, accounts, system. */
export const operationsRoutes = [queues, queue, lanes, parked, accounts, system] as const;
