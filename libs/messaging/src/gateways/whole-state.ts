import type { GatewayRow, WorkerView } from '@signalbox/database/gateways/gateways';
import { withoutStandby } from '@signalbox/domain/routing/gateway-health';

export const WHOLE_STATUSES = [
  'up',
  'connecting',
  'down',
  'closed',
  'paused',
  'disabled',
  'unknown',
] as const;

/** The state of a gateway over all workers. */
interface WholeState {
  status: (typeof WHOLE_STATUSES)[number];
  /** One sentence for people. */
  reason: string;
  /** The time of the last change that the deciding worker saw; null when no worker decides. */
  since: string | null;
}

const BY_CHANNEL = { sms: 'sms-worker', chatapp: 'chatapp-worker' } as const;

/**
 * The best view decides: one worker that holds a connection serves the gateway for all of them. One that only waits for
 * the bind of another does not know what is wrong.
 */
const ORDER = ['up', 'connecting', 'down', 'closed'] as const;

/** Time in which workers open a gateway and show it. */
const OPENING_MS = 5_000;

/** Combines the views that the workers have of a gateway. */
export function wholeState(
  { enabled, paused, channel, updatedAt }: Pick<GatewayRow, 'enabled' | 'paused' | 'channel' | 'updatedAt'>,
  views: readonly Pick<WorkerView, 'status' | 'reason' | 'since' | 'detail'>[],
): WholeState {
  if (!enabled)
    return { status: 'disabled', reason: 'The gateway is disabled: no worker opens it.', since: null };
  if (paused)
    return {
      status: 'paused',
      reason: 'The gateway is paused: it takes reports and submits nothing.',
      since: null,
    };
  const deciding = withoutStandby(views);
  const best = ORDER.map((status) => deciding.find((view) => view.status === status)).find((view) => view);
  if (best) return { status: best.status, reason: best.reason, since: best.since.toISOString() };
  if (Date.now() - updatedAt.getTime() < OPENING_MS)
    return { status: 'unknown', reason: 'Workers open the gateway within two seconds.', since: null };
  return {
    status: 'unknown',
    reason: `No worker has shown the gateway in the last 10 seconds. Check that the ${BY_CHANNEL[channel]} runs.`,
    since: null,
  };
}
