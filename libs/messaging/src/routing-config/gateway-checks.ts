import type { GatewayRow } from '@signalbox/database/gateways/gateways';
import type { Channel } from '@signalbox/domain/channel';
import { type Violation, violation } from '@signalbox/domain/violation';
import type { GatewayProblem } from '@signalbox/gateways/gateway-kind';
import { hostOf, readSettings } from '@signalbox/gateways/read-settings';
import { GATEWAY_KINDS, RESERVED_NAMES, findGatewayKind } from '@signalbox/gateways/registry';
import type { GatewaySettings } from './specs.ts';

/** A gateway with all its settings and credentials, before it is saved. */
export interface GivenGateway {
  name: string;
  channel: Channel;
  kind: string;
  settings: object;
  secrets: Record<string, string>;
}

/** Checks a gateway: its name, its kind, and its settings and credentials by the rules of the kind. */
export function checkGateway({ name, channel, kind, settings, secrets }: GivenGateway): Violation[] {
  const found = findGatewayKind(kind);
  if (!found) {
    const message = `must be ${namesOf(GATEWAY_KINDS.map((each) => each.kind))}`;
    return [violation('kind', 'not_allowed_value', message)];
  }
  const violations: Violation[] = [];
  if (RESERVED_NAMES.includes(name))
    violations.push(violation('name', 'not_allowed_value', 'must not be the name of a simulator'));
  if (!found.channels.includes(channel)) {
    const message = `must be ${namesOf(found.channels)} for the kind ${kind}`;
    violations.push(violation('channel', 'not_allowed_value', message));
  }
  const read = readSettings(found, settings, secrets);
  return [...violations, ...('problems' in read ? read.problems.map(toViolation) : [])];
}

/**
 * Checks a change of a gateway. A credential that it has is sent to the new host only when the change gives it again, so
 * that nobody learns it by a change of the address.
 *
 * @param secrets the credentials before the change
 */
export function checkChange(
  row: Pick<GatewayRow, 'name' | 'channel' | 'kind' | 'settings'>,
  secrets: Record<string, string>,
  change: Pick<GatewaySettings, 'settings' | 'secrets'>,
): Violation[] {
  const given = changedContent(row, secrets, change);
  const violations = checkGateway(given);
  const kept = Object.keys(secrets).filter((name) => !Object.hasOwn(change.secrets ?? {}, name));
  const kind = findGatewayKind(row.kind);
  if (!kind || kept.length === 0 || hostOf(kind, row.settings) === hostOf(kind, given.settings))
    return violations;
  const problem = 'must be given again, because it would be sent to another host';
  return [...violations, ...kept.map((name) => violation(`secrets.${name}`, 'invalid_setting', problem))];
}

/** Returns a gateway with its settings and credentials after a change. */
export function changedContent(
  { name, channel, kind, settings }: Pick<GatewayRow, 'name' | 'channel' | 'kind' | 'settings'>,
  secrets: Record<string, string>,
  change: Pick<GatewaySettings, 'settings' | 'secrets'>,
): GivenGateway {
  return {
    name,
    channel,
    kind,
    settings: withoutNulls({ ...(settings as object), ...change.settings }),
    secrets: withoutNulls({ ...secrets, ...change.secrets }),
  };
}

/** Returns an object without the members that are null. */
export function withoutNulls<V>(object: Record<string, V | null>): Record<string, V> {
  const kept = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Record<string, V>;
}

function toViolation({ field, problem }: GatewayProblem): Violation {
  return violation(field, 'invalid_setting', withoutName(field, problem));
}

/** Messages of class-validator begin with the name of the property, which the field says already. */
function withoutName(field: string, problem: string): string {
  const name = field.split('.').at(-1) ?? '';
  return problem.startsWith(`${name} `) ? problem.slice(name.length + 1) : problem;
}

function namesOf(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `one of ${names.join(', ')}`;
}
