import { IconBuildingStore, IconParking, IconRoad, IconServer2, IconStack2 } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { KINDS, WORDS } from './words.ts';

export type ParkedKind = keyof typeof KINDS;

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type JobState = (typeof STATES)[number];

const parent = { getParentRoute: () => shellRoute };
const entry = { group: 'Operations', needs: 'ops' } as const;

const queues = createRoute({
  ...parent,
  path: '/queues',
  component: lazyPage(() => import('./queues.page.tsx'), 'QueuesPage'),
  staticData: {
    menu: { ...entry, label: WORDS.queues, order: 10, icon: IconStack2, keywords: 'jobs pause drain' },
  },
});

const queue = createRoute({
  ...parent,
  path: '/queues/$name',
  validateSearch: ({ state }: Record<string, unknown>): { state?: JobState } => {
    const known = STATES.find((each) => each === state);
    return known === undefined ? {} : { state: known };
  },
  component: lazyPage(() => import('./queue.page.tsx'), 'QueuePage'),
});

const lanes = createRoute({
  ...parent,
  path: '/lanes',
  component: lazyPage(() => import('./lanes.page.tsx'), 'LanesPage'),
  staticData: {
    menu: { ...entry, label: WORDS.lanes, order: 20, icon: IconRoad, keywords: 'held ready pause account' },
  },
});

const parked = createRoute({
  ...parent,
  path: '/parked',
  validateSearch: ({ kind }: Record<string, unknown>): { kind?: ParkedKind } =>
    typeof kind === 'string' && kind in KINDS ? { kind: kind as ParkedKind } : {},
  component: lazyPage(() => import('./parked.page.tsx'), 'ParkedPage'),
  staticData: {
    menu: { ...entry, label: WORDS.parked, order: 30, icon: IconParking, keywords: 'stuck free discard' },
  },
});

const accounts = createRoute({
  ...parent,
  path: '/accounts',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lazyPage(() => import('./accounts.page.tsx'), 'AccountsPage'),
  staticData: {
    menu: { ...entry, label: WORDS.accounts, order: 80, icon: IconBuildingStore, keywords: 'tenant suspend' },
  },
});

const system = createRoute({
  ...parent,
  path: '/system',
  component: lazyPage(() => import('./system.page.tsx'), 'SystemPage'),
  staticData: {
    menu: { ...entry, label: WORDS.system, order: 90, icon: IconServer2, keywords: 'version migrations' },
  },
});

/** Pages of operators: queues, lanes, parked rows, accounts, system. */
export const operationsRoutes = [queues, queue, lanes, parked, accounts, system] as const;
