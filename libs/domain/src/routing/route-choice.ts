import { type GatewayFitness, healthOf, isHealthy } from './gateway-health.ts';
import { hash01 } from './hash.ts';
import type { Route, RouteTarget } from './route.ts';
import { type RoutedMessage, findMismatch } from './route-match.ts';
import { gatewaysOf } from './routing-rules.ts';

/** The gateways of a channel by name, as they are now. */
export type Fitnesses = ReadonlyMap<string, GatewayFitness>;

/** The route of a message. */
export interface RouteChoice {
  /** Null when there are no routes, and the first gateway serves; undefined when no route matches. */
  route: Route | null | undefined;
  /** The gateways to try, in order; empty while none takes messages, so that the message waits. */
  candidates: readonly string[];
  /** True for a message that tests whether a gateway has recovered: one of a hundred, or one after it was down. */
  isProbe: boolean;
}

const PROBED = 0.01;

/**
 * Chooses the gateways of a message. The first matching route with a healthy gateway takes it; when none has one, the
 * first matching route with a gateway that takes messages. Without any route the first gateway by name serves.
 */
export function chooseRoute(
  routes: readonly Route[],
  message: RoutedMessage,
  gateways: Fitnesses,
  at: Date,
): RouteChoice {
  if (routes.length === 0) return withoutRoutes(gateways);
  const matching = routes.filter(({ match }) => findMismatch(match, message, at) === undefined);
  const route =
    matching.find((each) => fitOf(each, gateways).some(isHealthy)) ??
    matching.find((each) => fitOf(each, gateways).length > 0) ??
    matching[0];
  if (!route) return { route, candidates: [], isProbe: false };
  return { route, ...orderGateways(route, message, gateways) };
}

/** Is true when a route takes such a message at some time of day. */
export function isEverRouted(routes: readonly Route[], message: RoutedMessage): boolean {
  return routes.some(
    ({ match: { hours: _hours, ...match } }) => findMismatch(match, message, new Date(0)) === undefined,
  );
}

function withoutRoutes(gateways: Fitnesses): RouteChoice {
  const [first] = [...gateways.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { route: null, candidates: first?.unfit === null ? [first.name] : [], isProbe: false };
}

/** The gateways of a route that take messages now, each once. */
export function fitOf(route: Route, gateways: Fitnesses): GatewayFitness[] {
  return [...new Set(gatewaysOf(route))].flatMap((name) => findFit(name, gateways) ?? []);
}

/** Finds a gateway by name; undefined for one that takes no messages now. */
function findFit(name: string, gateways: Fitnesses): GatewayFitness | undefined {
  const fitness = gateways.get(name);
  return fitness?.unfit === null ? fitness : undefined;
}

interface Scored extends RouteTarget {
  fitness: GatewayFitness;
  /** The lowest is first. */
  score: number;
}

/**
 * Orders the gateways of a route for a message:
 *
 * 1. targets that are tested
 * 2. healthy targets
 * 3. healthy fallbacks
 * 4. the other targets; one message of a hundred tries the first of them before the healthy gateways
 * 5. the other fallbacks
 *
 * Targets of one group are ordered by cost where costs are set, then by weight and recipient, and fallbacks as the route
 * lists them. The same recipient has the same order while weights and health stay.
 */
function orderGateways(
  { targets, fallbacks }: Route,
  { recipient, messageId }: RoutedMessage,
  gateways: Fitnesses,
): Pick<RouteChoice, 'candidates' | 'isProbe'> {
  const fit = targets.flatMap((target): Scored[] => {
    const fitness = findFit(target.gateway, gateways);
    return fitness ? [{ ...target, fitness, score: scoreOf(target, fitness, recipient) }] : [];
  });
  const ordered = fit.toSorted((a, b) => costOf(a) - costOf(b) || a.score - b.score);
  const tested = ordered.filter(({ fitness, weight }) => fitness.isOnTrial && weight > 0);
  const others = ordered.filter((each) => !tested.includes(each));
  const reserves = fallbacks.flatMap((name) => {
    const fitness = findFit(name, gateways);
    return fitness ? [{ gateway: name, fitness }] : [];
  });
  const healthy = [...others, ...reserves.filter(({ fitness }) => !fitness.isOnTrial)].filter((each) =>
    isHealthy(each.fitness),
  );
  const sick = others.filter(({ fitness }) => !isHealthy(fitness));
  const isSampled = healthy.length > 0 && sick.length > 0 && hash01(messageId, 'probe') < PROBED;
  const rest = isSampled ? [...sick.slice(0, 1), ...healthy, ...sick.slice(1)] : [...healthy, ...sick];
  const inOrder = [...tested, ...rest, ...reserves].map(({ gateway }) => gateway);
  return { candidates: [...new Set(inOrder)], isProbe: tested.length > 0 || isSampled };
}

/** A target without a cost comes after those that have one. */
function costOf({ cost, weight }: RouteTarget): number {
  return weight === 0 ? Number.MAX_VALUE : (cost ?? Number.MAX_VALUE / 2);
}

/**
 * Weighted rendezvous hashing: each target is first for its share of the recipients, and a target that is removed moves
 * only its own recipients. Health changes the share in steps of a tenth, so that small changes move no recipient.
 */
function scoreOf({ gateway, weight }: RouteTarget, fitness: GatewayFitness, recipient: string): number {
  const share = weight * (Math.ceil(healthOf(fitness) * 10) / 10);
  return share > 0 ? -Math.log(hash01(recipient, gateway)) / share : Number.MAX_VALUE;
}
