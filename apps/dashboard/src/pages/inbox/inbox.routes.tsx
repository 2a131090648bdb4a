import type { Channel } from '@signalbox/domain/channel';
import { pageRoute } from '../../app/page-route.ts';

/** Filters of the inbox, and the conversation that is open. */
export interface InboxSearch {
  channel?: Channel;
  open?: 'true';
  /** `15550100001:919812345678`, the sender and the person. */
  with?: string;
}

const inbox = pageRoute(
  '/inbox',
  () => import('./inbox.page.tsx'),
  'InboxPage',
  ({ channel, open, with: key }: Record<string, unknown>): InboxSearch => ({
    ...((channel === 'sms' || channel === 'chatapp') && { channel }),
    ...((open === 'true' || open === true) && { open: 'true' as const }),
    ...(typeof key === 'string' && /^[^:]+:[^:]+$/.test(key) && { with: key }),
  }),
);

export const inboxRoutes = [inbox] as const;
