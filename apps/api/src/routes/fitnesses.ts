import { type GatewayRow, listStates } from '@signalbox/database/gateways/gateways';
import { type GatewayFitness, ratesOf } from '@signalbox/domain/routing/gateway-health';
import type { EntityManager } from 'typeorm';
import { wholeState } from '../gateways/whole-state.ts';

const NO_COUNTS = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

/** Finds the condition of gateways over all workers, by name. A disabled one is missing, as for the workers. */
export async function listFitnesses(
  db: EntityManager,
  gateways: readonly GatewayRow[],
): Promise<Map<string, GatewayFitness>> {
  const states = await listStates(db);
  const fitnesses = gateways
    .filter(({ enabled }) => enabled)
    .map((row): GatewayFitness => {
      const own = states.filter(({ gatewayId }) => gatewayId === row.id);
      return { name: row.name, unfit: unfitnessOf(row, own), ...ratesOf(NO_COUNTS) };
    });
  return new Map(fitnesses.map((fitness) => [fitness.name, fitness]));
}

/** The rest of a sentence that begins with the gateway's name. */
function unfitnessOf(row: GatewayRow, views: Parameters<typeof wholeState>[1]): string | null {
  const { status, reason } = wholeState(row, views);
  if (status === 'up') return null;
  if (status === 'paused') return 'is paused';
  return status === 'unknown' ? 'is served by no worker' : `is ${status}: ${reason}`;
}
