import { countDeferred } from '@signalbox/database/reports/deferred';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';

const reports = new Gauge({
  name: 'signalbox_deferred_reports',
  help: 'Reports whose first pushes wait for a share of their account',
});

const accounts = new Gauge({
  name: 'signalbox_deferred_report_accounts',
  help: 'Accounts with deferred reports',
});

/** Sets the gauges of deferred reports, the same in every process. */
export async function showDeferred(db: EntityManager): Promise<void> {
  const deferred = await countDeferred(db);
  reports.set(deferred.reports);
  accounts.set(deferred.accounts);
}
