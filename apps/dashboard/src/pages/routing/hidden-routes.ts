import type { Gateway, Route } from '@signalbox/client';
import { isDefault } from '@signalbox/domain/routing/routing-rules';

/**
 * Finds the routes that another one leaves nothing to: an enabled route above them takes every message of their channel.
 *
 * @param routes in the order in which they are tried
 * @returns the name of the route above, by the id of the hidden one
 */
export function hiddenRoutes(
  routes: readonly Route[],
  gateways: readonly Pick<Gateway, 'name' | 'channel'>[],
): ReadonlyMap<string, string> {
  const channels = new Map(gateways.map(({ name, channel }) => [name, channel]));
  const above = new Map<string, string>();
  const hidden = new Map<string, string>();
  for (const { id, name, enabled, match, targets } of routes) {
    const channel = channels.get(targets[0]?.gateway ?? '');
    if (!enabled || channel === undefined) continue;
    const other = above.get(channel);
    if (other !== undefined) hidden.set(id, other);
    else if (isDefault(match)) above.set(channel, name);
  }
  return hidden;
}
