import type { Violation } from '@signalbox/domain/violation';

/** A gateway or route that cannot be saved, with everything that is wrong with it. */
export class InvalidRouting extends Error {
  override name = 'InvalidRouting';

  constructor(readonly violations: readonly Violation[]) {
    super(violations.map(({ field, message }) => `${field} ${message}`).join('; '));
  }
}

/** @throws InvalidRouting when there are violations */
export function requireNone(violations: readonly Violation[]): void {
  if (violations.length > 0) throw new InvalidRouting(violations);
}

/** A change that a row of another kind forbids. The message explains why. */
export class RoutingConflict extends Error {
  override name = 'RoutingConflict';

  constructor(
    readonly reason: 'name_exists' | 'gateway_in_use' | 'routing_undecided' | 'limit_reached',
    message: string,
  ) {
    super(message);
  }
}
