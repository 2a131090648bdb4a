import type { Channel } from '@signalbox/domain/channel';
import { pageRoute } from '../../app/page-route.ts';

/** The message to begin with. */
interface SendSearch {
  channel?: Channel;
  /** Recipient to begin with. */
  to?: string;
  /** Template to begin with. */
  template?: string;
}

function readSearch({ channel, to, template }: Record<string, unknown>): SendSearch {
  return {
    ...(channel === 'chatapp' && { channel }),
    ...((typeof to === 'string' || typeof to === 'number') && { to: String(to) }),
    ...(typeof template === 'string' && { template }),
  };
}

const send = pageRoute('/send', () => import('./send.page.tsx'), 'SendPage', readSearch);

export const sendRoutes = [send] as const;
