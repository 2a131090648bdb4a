import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';
import { KINDS } from './words.ts';

export type ParkedKind = keyof typeof KINDS;

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
export type JobState = (typeof STATES)[number];

const queues = createRoute({
  ...inShell,
  path: '/queues',
  component: lazyPage(() => import('./queues.page.tsx'), 'QueuesPage'),
});

const queue = createRoute({
  ...inShell,
  path: '/queues/$name',
  validateSearch: ({ state }: Record<string, unknown>): { state?: JobState } => {
    const known = STATES.find((each) => each === state);
    return known === undefined ? {} : { state: known };
  },
  component: lazyPage(() => import('./queue.page.tsx'), 'QueuePage'),
});

const lanes = createRoute({
  ...inShell,
  path: '/lanes',
  component: lazyPage(() => import('./lanes.page.tsx'), 'LanesPage'),
});

const parked = createRoute({
  ...inShell,
  path: '/parked',
  validateSearch: ({ kind }: Record<string, unknown>): { kind?: ParkedKind } =>
    typeof kind === 'string' && kind in KINDS ? { kind: kind as ParkedKind } : {},
  component: lazyPage(() => import('./parked.page.tsx'), 'ParkedPage'),
});

const accounts = createRoute({
  ...inShell,
  path: '/accounts',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lazyPage(() => import('./accounts.page.tsx'), 'AccountsPage'),
});

const system = createRoute({
  ...inShell,
  path: '/system',
  component: lazyPage(() => import('./system.page.tsx'), 'SystemPage'),
});

/** Pages of operators: queues, lanes, parked rows, accounts, system. */
export const operationsRoutes = [queues, queue, lanes, parked, accounts, system] as const;
