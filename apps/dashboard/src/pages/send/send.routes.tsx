import { createRoute } from '@tanstack/react-router';
import type { Channel } from '@signalbox/domain/channel';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

/** The message to begin with. */
interface SendSearch {
  channel?: Channel;
  /** Recipient to begin with. */
  to?: string;
  /** SMS template, or name of a chat-app template, to begin with. */
  template?: string;
}

function readSearch({ channel, to, template }: Record<string, unknown>): SendSearch {
  return {
    ...(channel === 'chatapp' && { channel }),
    ...((typeof to === 'string' || typeof to === 'number') && { to: String(to) }),
    ...(typeof template === 'string' && { template }),
  };
}

const send = createRoute({
  ...inShell,
  path: '/send',
  validateSearch: readSearch,
  component: lazyPage(() => import('./send.page.tsx'), 'SendPage'),
});

export const sendRoutes = [send] as const;
