import { countOrphans, sweepOrphans } from '@signalbox/database/gateways/orphans';
import { Gauge } from 'prom-client';
import type { Duty } from '../maintenance/duty.ts';
import { storeOrphanedSms } from './orphaned-sms.ts';

const orphanReports = new Gauge({
  name: 'signalbox_orphan_reports',
  help: 'Reports of no message and inbound SMS of no account, by gateway and kind, up to 10,000 of each gateway',
  labelNames: ['gateway', 'kind'],
});

/** Maintenance of the orphan box, apart from matching. */
export function orphanDuties(): Duty[] {
  return [
    { name: 'store orphaned SMS', everyMs: 1_000, idleMs: 5_000, sweep: storeOrphanedSms },
    {
      name: 'sweep orphans',
      everyMs: 60_000,
      lock: 'orphan sweep',
      sweep: ({ db }) => sweepOrphans(db),
      logEvent: 'orphans.deleted',
    },
    {
      name: 'count orphans',
      everyMs: 15_000,
      run: async ({ db }) => {
        const counts = await countOrphans(db);
        orphanReports.reset();
        for (const { gateway, kind, count } of counts) orphanReports.set({ gateway, kind }, count);
      },
    },
  ];
}
