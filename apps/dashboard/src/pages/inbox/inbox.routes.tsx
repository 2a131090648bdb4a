import { IconInbox } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import type { Channel } from '@signalbox/domain/channel';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { WORDS } from './words.ts';

/** Filters of the inbox, and the conversation that is open. */
export interface InboxSearch {
  channel?: Channel;
  open?: 'true';
  /** `15550100001:919812345678`, the sender and the person. */
  with?: string;
}

const inbox = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox',
  validateSearch: ({ channel, open, with: key }: Record<string, unknown>): InboxSearch => ({
    ...((channel === 'sms' || channel === 'chatapp') && { channel }),
    ...((open === 'true' || open === true) && { open: 'true' as const }),
    ...(typeof key === 'string' && /^[^:]+:[^:]+$/.test(key) && { with: key }),
  }),
  component: lazyPage(() => import('./inbox.page.tsx'), 'InboxPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: WORDS.title,
      order: 70,
      icon: IconInbox,
      needs: 'send',
      keywords: 'whatsapp conversation reply inbound received session window',
    },
  },
});

export const inboxRoutes = [inbox] as const;
