import { countWorkers } from '@signalbox/database/ops/system';
import type { DataSource } from 'typeorm';
import { type Finding, findingsOf } from './finding.ts';

/** Apps that show their processes in the database, by the name of their fleet, and their work. */
const FLEETS: Readonly<Record<string, { app: string; work: string }>> = {
  sms: { app: 'sms-worker', work: 'SMS are not sent' },
  dlr: { app: 'dlr-worker', work: 'reports are neither applied nor pushed' },
  otp: { app: 'otp-worker', work: 'codes are not generated' },
  chatapp: { app: 'chatapp-worker', work: 'chat-app messages are not sent' },
};

/** Checks that each kind of worker has a live process. */
export async function checkWorkers(db: DataSource): Promise<Finding[]> {
  const live = new Map((await countWorkers(db.manager)).map(({ fleet, workers }) => [fleet, workers]));
  const counts = Object.entries(FLEETS).map(([fleet, { app }]) => `${app} ${live.get(fleet) ?? 0}`);
  return findingsOf(
    'workers',
    `Processes: ${counts.join(', ')}.`,
    Object.entries(FLEETS).map(
      ([fleet, { app, work }]) =>
        !live.has(fleet) && {
          level: 'warning',
          text: `No ${app} runs: ${work}. Start one; if it does not stay up, its log says why.`,
        },
    ),
  );
}
