import type { GatewayFitness } from '@signalbox/domain/routing/gateway-health';
import type { Fitnesses } from '@signalbox/domain/routing/route-choice';

/** Milliseconds that a test waits for a message that is no code, before a code is used for it. */
const PATIENCE_MS = 5_000;

/**
 * Follows the gateways that take one message as a test. Such a message may end unconfirmed, after which it is not sent
 * again, so a code is used for a test only where nothing else was sent for five seconds.
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

  /** Returns the gateways, of which those that wait for a test are unfit. */
  withoutTrials(gateways: Fitnesses): Fitnesses {
    return without(gateways, ({ isOnTrial }) => isOnTrial);
  }

  /** Returns the gateways, of which those that have waited for a test for less than five seconds are unfit. */
  withoutRecentTrials(gateways: Fitnesses): Fitnesses {
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
