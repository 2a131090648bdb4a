import type { Channel } from '@signalbox/domain/channel';
import { type Violation, violation } from '@signalbox/domain/violation';
import type { GatewayKind, GatewayProblem } from '@signalbox/gateways/gateway-kind';
import { readSettings } from '@signalbox/gateways/read-settings';
import { GATEWAY_KINDS, RESERVED_NAMES, findGatewayKind } from '@signalbox/gateways/registry';

/** A gateway with all its settings and credentials, before it is saved. */
export interface GivenGateway {
  name: string;
  channel: Channel;
  kind: string;
  settings: object;
  secrets: Record<string, string>;
}

/** Checks a gateway: its name, its kind, and its settings and credentials by the rules of the kind. */
export function checkGateway(
  { name, channel, kind, settings, secrets }: GivenGateway,
  kinds: readonly GatewayKind[] = GATEWAY_KINDS,
): Violation[] {
  const found = findGatewayKind(kind, kinds);
  if (!found)
    return [violation('kind', 'not_allowed_value', `must be ${namesOf(kinds.map((each) => each.kind))}`)];
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
