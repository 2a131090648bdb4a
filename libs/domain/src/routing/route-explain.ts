import { healthOf, isHealthy } from './gateway-health.ts';
import type { Route } from './route.ts';
import { type Fitnesses, chooseRoute, fitOf, isEverRouted } from './route-choice.ts';
import { type RoutedMessage, findMismatch } from './route-match.ts';

/** A gateway of a route, and its condition. */
export interface ExplainedGateway {
  gateway: string;
  role: 'target' | 'fallback';
  weight: number | null;
  cost: number | null;
  /** From 0 to 1; accept rate times report success, and 0 for a gateway that takes nothing now. */
  health: number;
  acceptRate: number;
  reportRate: number;
  /** The reason why it takes nothing now, only probes, or may not take what it gets; null when it is up and healthy. */
  problem: string | null;
}

/** A route, and the reason why it does not take the message. */
export interface ExplainedRoute {
  id: string;
  priority: number;
  isTaken: boolean;
  /** Null for the route that is taken. */
  passedOver: string | null;
  gateways: ExplainedGateway[];
}

/** The route of a message, and why. */
export interface RouteExplanation {
  /** Null when no route takes it, or there are none. */
  route: string | null;
  /** The gateways to try, in order; empty while the message waits. */
  gateways: readonly string[];
  isProbe: boolean;
  /** One sentence. */
  reason: string;
  routes: ExplainedRoute[];
}

/** Explains `chooseRoute` for one message. */
export function explainRoute(
  routes: readonly Route[],
  message: RoutedMessage,
  gateways: Fitnesses,
  at: Date,
): RouteExplanation {
  const { route, candidates, isProbe } = chooseRoute(routes, message, gateways, at);
  const explained = routes.map((each): ExplainedRoute => {
    const isTaken = each.id === route?.id;
    const passedOver = isTaken ? null : whyPassedOver(each, { message, gateways, at });
    return {
      id: each.id,
      priority: each.priority,
      isTaken,
      passedOver,
      gateways: explainGateways(each, gateways),
    };
  });
  const reason =
    route === undefined ? whyNoRoute(routes, message) : reasonOf(route, candidates, isProbe, gateways);
  return { route: route?.id ?? null, gateways: candidates, isProbe, reason, routes: explained };
}

function reasonOf(
  route: Route | null,
  candidates: readonly string[],
  isProbe: boolean,
  gateways: Fitnesses,
): string {
  const [first] = candidates;
  const doubt = first === undefined ? null : (gateways.get(first)?.doubt ?? null);
  if (first === undefined)
    return `No gateway${route ? ' of the route' : ''} takes messages now, so the message waits.`;
  if (doubt !== null) return `${first} takes ${isProbe ? 'one message' : 'it'}, although it ${doubt}`;
  if (route === null) return 'There are no routes, so the first gateway by name takes it.';
  if (isProbe) return 'One message of a hundred tests whether an unhealthy gateway has recovered.';
  return candidates.length > 1
    ? `${first} takes it; ${candidates.slice(1).join(', then ')} may take it when ${first} cannot.`
    : `${first} takes it.`;
}

function whyNoRoute(routes: readonly Route[], message: RoutedMessage): string {
  return isEverRouted(routes, message)
    ? 'No route takes it at this time of day, so the message waits for the hours of one.'
    : 'No route matches, so the message fails with errCode 011. A route without a match takes every message.';
}

function whyPassedOver(
  route: Route,
  { message, gateways, at }: { message: RoutedMessage; gateways: Fitnesses; at: Date },
): string {
  const field = findMismatch(route.match, message, at);
  if (field !== undefined) return `Its ${field} do not match.`;
  const fit = fitOf(route, gateways);
  if (fit.length === 0) return 'None of its gateways takes messages now.';
  if (!fit.some(isHealthy)) return 'None of its gateways is healthy.';
  return 'A route before it takes the message.';
}

function explainGateways({ targets, fallbacks }: Route, gateways: Fitnesses): ExplainedGateway[] {
  return [
    ...targets.map(({ gateway, weight, cost }) => ({ gateway, role: 'target' as const, weight, cost })),
    ...fallbacks.map((gateway) => ({ gateway, role: 'fallback' as const, weight: null, cost: null })),
  ].map((each) => ({ ...each, ...conditionOf(each.gateway, gateways) }));
}

function conditionOf(
  name: string,
  gateways: Fitnesses,
): Pick<ExplainedGateway, 'health' | 'acceptRate' | 'reportRate' | 'problem'> {
  const fitness = gateways.get(name);
  if (!fitness) return { health: 0, acceptRate: 0, reportRate: 0, problem: `${name} is no enabled gateway.` };
  const { unfit, doubt, acceptRate, reportRate } = fitness;
  const rates = { health: healthOf(fitness), acceptRate, reportRate };
  if (unfit !== null) return { ...rates, problem: `${name} ${unfit}` };
  if (doubt !== null) return { ...rates, problem: `${name} ${doubt}` };
  return { ...rates, problem: isHealthy(fitness) ? null : `${name} is unhealthy and gets probes only.` };
}
