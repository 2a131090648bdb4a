import { countWorkers } from '@signalbox/database/ops/system';
import { WORKER_KINDS, missingWorkers } from '@signalbox/domain/worker-kinds';
import type { DataSource } from 'typeorm';
import { type Finding, findingsOf } from './finding.ts';

/** Checks that each kind of worker has a live process. */
export async function checkWorkers(db: DataSource): Promise<Finding[]> {
  const counts = await countWorkers(db.manager);
  const live = new Map(counts.map(({ fleet, workers }) => [fleet, workers]));
  const processes = Object.entries(WORKER_KINDS).map(([fleet, { app }]) => `${app} ${live.get(fleet)}`);
  return findingsOf(
    'workers',
    `Processes: ${processes.join(', ')}.`,
    missingWorkers(counts).map((text) => ({
      level: 'warning',
      text: `${text}. Start one; if it does not stay up, its log says why.`,
    })),
  );
}
