import { listGateways } from '@signalbox/database/gateways/gateways';
import { listRoutes } from '@signalbox/database/gateways/routes';
import type { Channel } from '@signalbox/domain/channel';
import type { GatewayFitness } from '@signalbox/domain/routing/gateway-health';
import type { Route } from '@signalbox/domain/routing/route';
import { chooseRoute, isEverRouted } from '@signalbox/domain/routing/route-choice';
import type { RoutedMessage } from '@signalbox/domain/routing/route-match';
import { gatewaysOf } from '@signalbox/domain/routing/routing-rules';
import type { EntityManager } from 'typeorm';
import { readFitnesses } from './fitness.ts';

/**
 * Explains in one sentence why no gateway takes a message now. It names gateways and their status, and not the reason,
 * which may hold addresses: messages are shown to accounts.
 *
 * @returns undefined when a gateway takes it, or the simulator serves
 */
export async function explainWait(
  db: EntityManager,
  channel: Channel,
  message: RoutedMessage,
): Promise<string | undefined> {
  const gateways = await readFitnesses(db, channel);
  if (gateways.size === 0) return explainDisabled(db, channel);
  const routes = (await listRoutes(db)).filter((route) =>
    gatewaysOf(route).some((name) => gateways.has(name)),
  );
  const { route, candidates } = chooseRoute(routes, message, gateways, new Date());
  const isTaken = candidates.some((name) => gateways.get(name)?.isOnTrial === false);
  if (isTaken) return undefined;
  if (route === undefined)
    return isEverRouted(routes, message) ? 'It waits for the hours in which a route takes it.' : undefined;
  return `No gateway takes it now: ${conditionsOf(route, gateways)}.`;
}

/** Only without any gateway does the simulator serve. */
async function explainDisabled(db: EntityManager, channel: Channel): Promise<string | undefined> {
  const disabled = (await listGateways(db)).find((row) => row.channel === channel);
  return disabled && `No gateway takes it now: ${disabled.name} is disabled.`;
}

function conditionsOf(route: Route | null, gateways: ReadonlyMap<string, GatewayFitness>): string {
  const names = route ? [...new Set(gatewaysOf(route))] : [...gateways.keys()].toSorted().slice(0, 1);
  return names.map((name) => `${name} ${conditionOf(gateways.get(name)) ?? 'is disabled'}`).join(', ');
}

/** The condition without its reason. */
function conditionOf(gateway: GatewayFitness | undefined): string | undefined {
  return (gateway?.unfit ?? gateway?.doubt)?.replace(/[:.].*$/s, '');
}
