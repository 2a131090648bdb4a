import type { GatewayFitness } from '@signalbox/domain/routing/gateway-health';
import type { Fitnesses } from '@signalbox/domain/routing/route-choice';

/** Time in which a message of another lane that waits for the gateway comes for its test. */
const PATIENCE_MS = 5_000;

/**
 * Follows the gateways that take one message as a test. Such a message may end unconfirmed, after which it is not sent
 * again, so that a code is the last one to be used.
 */
export class Trials {
  /** By name, when a gateway was first seen to take a test. */
  private readonly since = new Map<string, number>();

  /** @param now milliseconds of a clock that never steps */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes which gateways take a test now. */
  follow(gateways: Iterable<GatewayFitness>): void {
    for (const { name, isOnTrial } of gateways) {
      if (!isOnTrial) this.since.delete(name);
      else if (!this.since.has(name)) this.since.set(name, this.now());
    }
  }

  /** The gateways that take a message without a test. */
  withoutThem(gateways: Fitnesses): Fitnesses {
    return without(gateways, ({ isOnTrial }) => isOnTrial);
  }

  /** The gateways without those that have waited for their test for less than five seconds. */
  withoutRecent(gateways: Fitnesses): Fitnesses {
    const first = this.now() - PATIENCE_MS;
    return without(gateways, ({ name }) => (this.since.get(name) ?? -Infinity) > first);
  }
}

function without(gateways: Fitnesses, isOut: (fitness: GatewayFitness) => boolean): Fitnesses {
  const unfit = 'is tested with a message that is no code first.';
  return new Map(
    [...gateways].map(([name, each]) => [name, isOut(each) ? { ...each, isOnTrial: false, unfit } : each]),
  );
}
