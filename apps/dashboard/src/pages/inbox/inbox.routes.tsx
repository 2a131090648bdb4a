import { createRoute } from '@tanstack/react-router';
import type { Channel } from '@signalbox/domain/channel';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

/** Filters of the inbox, and the conversation that is open. */
export interface InboxSearch {
  channel?: Channel;
  open?: 'true';
  /** `15550100001:919812345678`, the sender and the person. */
  with?: string;
}

const inbox = createRoute({
  ...inShell,
  path: '/inbox',
  validateSearch: ({ channel, open, with: key }: Record<string, unknown>): InboxSearch => ({
    ...((channel === 'sms' || channel === 'chatapp') && { channel }),
    ...((open === 'true' || open === true) && { open: 'true' as const }),
    ...(typeof key === 'string' && /^[^:]+:[^:]+$/.test(key) && { with: key }),
  }),
  component: lazyPage(() => import('./inbox.page.tsx'), 'InboxPage'),
});

export const inboxRoutes = [inbox] as const;
