import {
  type GatewayRow,
  type WorkerView,
  listGateways,
  listStates,
} from '@signalbox/database/gateways/gateways';
import { type NamedCounts, sumGatewayCounts } from '@signalbox/database/gateways/health';
import type { Channel } from '@signalbox/domain/channel';
import {
  type GatewayFitness,
  NO_COUNTS,
  ratesOf,
  takesOf,
  withoutStandby,
} from '@signalbox/domain/routing/gateway-health';
import type { Fitnesses } from '@signalbox/domain/routing/route-choice';
import type { EntityManager } from 'typeorm';

/** One process's view of a gateway, with its latest reason for not being up. */
type View = Pick<WorkerView, 'name' | 'status' | 'reason' | 'detail'>;

/** Judges the enabled gateways of a channel by the views of all processes and by their counts. */
export function fitnessesOf(
  rows: readonly GatewayRow[],
  views: readonly View[],
  counts: readonly NamedCounts[],
): Map<string, GatewayFitness> {
  const viewsOf = Map.groupBy(views, ({ name }) => name);
  const countsOf = new Map(counts.map((each) => [each.gateway, each]));
  const fitnesses = rows.map((row) => ({
    name: row.name,
    ...conditionOf(row, viewsOf.get(row.name) ?? []),
    ...ratesOf(countsOf.get(row.name) ?? NO_COUNTS),
  }));
  return new Map(fitnesses.map((each) => [each.name, each]));
}

type Condition = Pick<GatewayFitness, 'unfit' | 'doubt' | 'isOnTrial'>;

/** The best view decides, since one process that can submit serves the gateway for all of them. */
function conditionOf({ paused }: GatewayRow, views: readonly View[]): Condition {
  if (paused) return { unfit: 'is paused.', doubt: null, isOnTrial: false };
  if (views.some(({ status }) => status === 'up')) return { unfit: null, doubt: null, isOnTrial: false };
  for (const takes of ['any', 'one'] as const) {
    const view = views.find((each) => takesOf(each) === takes);
    if (view) return { unfit: null, doubt: inWords(view), isOnTrial: takes === 'one' };
  }
  const [view] = withoutStandby(views);
  const unfit = view ? inWords(view) : 'is open in no worker: start a worker of its channel.';
  return { unfit, doubt: null, isOnTrial: false };
}

function inWords({ status, reason }: View): string {
  return `is ${status}: ${reason}`;
}

/** Reads the condition of the enabled gateways of a channel, as routes see it. */
export async function readFitnesses(db: EntityManager, channel: Channel): Promise<Fitnesses> {
  const rows = await listGateways(db);
  const views = await listStates(db);
  const counts = await sumGatewayCounts(db);
  const enabled = rows.filter((row) => row.enabled && row.channel === channel);
  return fitnessesOf(enabled, views, counts);
}
