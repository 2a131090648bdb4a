import type { Channel } from '@signalbox/domain/channel';
import { isObject } from '@signalbox/domain/is-object';
import type { Violation } from '@signalbox/domain/violation';
import { requireNone } from './invalid-routing.ts';
import { checkGateway } from './gateway-checks.ts';
import type { FileProblem, GatewaysFile } from './gateways-file.ts';
import { type RoutingStore, toRoute } from './routing-store.ts';
import type { GatewaySpec, GatewaysFileSpec, RouteSpec, TargetSpec } from './specs.ts';

/*
 * A file with problems changes nothing, and is still checked to its end, so that one run names them all. These functions
 * check what can be checked of an entry whose fields have wrong types.
 */

/** The gateways and routes of a file, without what is no object. */
export function listsOf({ gateways, routes }: GatewaysFileSpec): {
  gateways: GatewaySpec[];
  routes: RouteSpec[];
} {
  return { gateways: objectsOf(gateways), routes: objectsOf(routes) };
}

/** Is true for an entry of which a field is missing, unknown or of a wrong type. */
export function isMalformed(path: string, { problems }: GatewaysFile): boolean {
  return problems.some(({ field }) => field === path || field.startsWith(`${path}.`));
}

/** Names the entries that have the name of an earlier one. */
export function repeatedNames(
  list: 'gateways' | 'routes',
  specs: readonly { name: unknown }[],
  file: GatewaysFile,
): FileProblem[] {
  return specs.flatMap(({ name }, i) => {
    const first = specs.findIndex((each) => each.name === name);
    if (first === i || typeof name !== 'string') return [];
    const { line } = file.problemOf(`${list}[${first}].name`, { field: '', message: '' });
    const message = `is "${name}" again, as in line ${line}: choose another name, or remove one of the two`;
    return [file.problemOf(`${list}[${i}].name`, { field: '', message })];
  });
}

/** Checks the settings and credentials of a gateway whose other fields may have problems. */
export function checkMalformedGateway(spec: Partial<Record<keyof GatewaySpec, unknown>>): Violation[] {
  const { name, channel, kind, settings, secrets } = spec;
  if (typeof kind !== 'string') return [];
  return checkGateway({
    name: name as string,
    channel: channel as Channel,
    kind,
    settings: isObject(settings) ? settings : {},
    secrets: isObject(secrets) ? (secrets as Record<string, string>) : {},
  });
}

/** Checks the gateways, countries and accounts of a route whose other fields have problems. @throws InvalidRouting */
export async function checkMalformedRoute(store: RoutingStore, spec: RouteSpec): Promise<void> {
  const targets = Array.isArray(spec.targets) ? spec.targets : [];
  const { fallbacks = [], match = {} } = spec;
  if (targets.length === 0 || !targets.every(hasGateway) || !areTexts(fallbacks) || !isObject(match)) return;
  const { countries = [], accounts = [] } = match;
  if (!areTexts(countries) || !areTexts(accounts)) return;
  const known = { countries, accounts: accounts.filter((id) => UUID.test(id)) };
  const route = toRoute({ name: '', targets, fallbacks, match: known });
  const violations = await store.checkRoute({ ...route, id: '', source: 'file' });
  requireNone(violations.filter(({ field }) => field !== 'match' && field !== 'targets'));
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function hasGateway(target: TargetSpec): boolean {
  return isObject(target) && typeof target.gateway === 'string';
}

function areTexts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

function objectsOf<Spec extends object>(list: readonly Spec[] | undefined): Spec[] {
  return Array.isArray(list) ? list.map((each: Spec) => (isObject(each) ? each : ({} as Spec))) : [];
}
