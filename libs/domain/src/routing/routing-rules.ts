import type { Channel } from '../channel.ts';
import { type Violation, violation } from '../violation.ts';
import type { Route, RouteMatch } from './route.ts';
import { isCountry } from './country.ts';
import { parseTimeZone } from '../time-zone.ts';

/** A gateway as the rules of routing see it. */
export interface RoutedGateway {
  name: string;
  channel: Channel;
  enabled: boolean;
}

/** A route as the rules of routing see it. */
export interface CheckedRoute extends Pick<Route, 'id' | 'priority' | 'match' | 'targets' | 'fallbacks'> {
  name: string;
  enabled: boolean;
}

/** All gateways and routes of an installation. */
export interface Routing {
  gateways: readonly RoutedGateway[];
  routes: readonly CheckedRoute[];
}

/** Names all gateways of a route, targets first. */
export function gatewaysOf({ targets, fallbacks }: Pick<Route, 'targets' | 'fallbacks'>): string[] {
  return [...targets.map(({ gateway }) => gateway), ...fallbacks];
}

/** Checks a route that is to be saved among the others: its gateways, and that it is not a second default. */
export function checkRoute(route: CheckedRoute, { gateways, routes }: Routing): Violation[] {
  const known = new Map(gateways.map((gateway) => [gateway.name, gateway]));
  if (route.targets.length === 0)
    return [violation('targets', 'too_few_items', 'must name at least one gateway')];
  const violations = [
    ...checkNames(route, known),
    ...checkWeights(route),
    ...checkCountries(route),
    ...checkHours(route),
  ];
  if (violations.length > 0) return violations;
  const others = routes.filter(({ id }) => id !== route.id);
  return [...checkChannel(route, known), ...checkDefault(route, others, known)];
}

/**
 * Finds a channel whose gateways no route chooses between: several are enabled, and no route in force names one of
 * them.
 *
 * @returns a sentence that says what to do; undefined when there is no such channel
 */
export function undecidedChannel({ gateways, routes }: Routing): string | undefined {
  for (const [channel, own] of Map.groupBy(
    gateways.filter(({ enabled }) => enabled),
    (gateway) => gateway.channel,
  )) {
    const names = own.map(({ name }) => name);
    const isRouted = routes.some(
      (route) => route.enabled && gatewaysOf(route).some((name) => names.includes(name)),
    );
    if (names.length > 1 && !isRouted)
      return `The channel ${channel} has several gateways (${names.join(', ')}) and no route that says which one takes a message. Save the new gateway with "enabled": false, create a route that names them, then enable it.`;
  }
  return undefined;
}

/** Is true when a route matches every message. */
export function isDefault(match: RouteMatch): boolean {
  return Object.values(match).every(
    (value) => value === undefined || (Array.isArray(value) && value.length === 0),
  );
}

function checkNames(route: CheckedRoute, known: ReadonlyMap<string, RoutedGateway>): Violation[] {
  const seen = new Set<string>();
  const checkName = (field: string, name: string): Violation[] => {
    const isRepeated = seen.has(name);
    seen.add(name);
    if (!known.has(name)) return [violation(field, 'unknown_gateway', unknownGateway(name, known))];
    if (!isRepeated) return [];
    const message = `must not name ${name} again: a message that ${name} cannot take would come back to it`;
    return [violation(field, 'duplicate_item', message)];
  };
  return [
    ...route.targets.flatMap(({ gateway }, i) => checkName(`targets[${i}].gateway`, gateway)),
    ...route.fallbacks.flatMap((name, i) => checkName(`fallbacks[${i}]`, name)),
  ];
}

function unknownGateway(name: string, known: ReadonlyMap<string, unknown>): string {
  const hint =
    known.size === 0 ? 'create it first' : `create it first, or name one of ${[...known.keys()].join(', ')}`;
  return `names no gateway: there is no "${name}"; ${hint}`;
}

function checkWeights({ targets }: CheckedRoute): Violation[] {
  if (targets.some(({ weight }) => weight > 0)) return [];
  return [violation('targets', 'out_of_range', 'must have a target with a weight above 0')];
}

function checkCountries({ match: { countries = [] } }: CheckedRoute): Violation[] {
  return countries.flatMap((country, i) =>
    isCountry(country)
      ? []
      : violation(
          `match.countries[${i}]`,
          'not_allowed_value',
          `must be the ISO 3166-1 code of a country, as IN or GB; "${country}" is none`,
        ),
  );
}

function checkHours({ match: { hours } }: CheckedRoute): Violation[] {
  if (!hours) return [];
  if (hours.from === hours.to)
    return [violation('match.hours', 'out_of_range', 'must begin and end at different times')];
  return parseTimeZone(hours.zone) === undefined
    ? [violation('match.hours.zone', 'invalid_format', 'must be a time zone, as Asia/Kolkata')]
    : [];
}

function checkChannel(route: CheckedRoute, known: ReadonlyMap<string, RoutedGateway>): Violation[] {
  const [first, ...others] = gatewaysOf(route).map((name) => known.get(name)!);
  const other = others.find(({ channel }) => channel !== first?.channel);
  if (!first || !other) return [];
  const message = `must be gateways of one channel: ${first.name} is of ${first.channel}, ${other.name} of ${other.channel}`;
  return [violation('targets', 'not_allowed_value', message)];
}

function checkDefault(
  route: CheckedRoute,
  others: readonly CheckedRoute[],
  known: ReadonlyMap<string, RoutedGateway>,
): Violation[] {
  if (!route.enabled || !isDefault(route.match)) return [];
  const channelOf = (each: CheckedRoute) => known.get(gatewaysOf(each)[0] ?? '')?.channel;
  const other = others.find(
    (each) => each.enabled && isDefault(each.match) && channelOf(each) === channelOf(route),
  );
  if (!other) return [];
  const message = `must limit the route: "${other.name}" takes every message of the channel already; change that one, or match something here`;
  return [violation('match', 'second_default', message)];
}
