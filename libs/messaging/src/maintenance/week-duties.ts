import { dropWeek, listWeekStates, makeWeeks } from '@signalbox/database/ops/weeks';
import { Gauge } from 'prom-client';
import type { Duty, DutyContext } from './duty.ts';

const daysAhead = new Gauge({
  name: 'signalbox_partition_days_ahead',
  help: 'Days until a table that is partitioned by week has no partition for new rows',
  labelNames: ['table'],
});
const unplacedRows = new Gauge({
  name: 'signalbox_unplaced_rows',
  help: 'Rows in the default partition of a table that is partitioned by week, up to 10,000',
  labelNames: ['table'],
});

/**
 * The duties that make, drop and watch the partitions of the tables that are partitioned by week.
 *
 * @param retentionDays days from the end of a week until its partition is dropped
 */
export function weekDuties(retentionDays: number): Duty[] {
  return [
    { name: 'make weeks', everyMs: 60_000, lock: 'weeks', run: ({ db }) => makeWeeks(db) },
    {
      name: 'drop old weeks',
      everyMs: 60_000,
      lock: 'weeks',
      sweep: ({ db }) => dropWeek(db, retentionDays),
      logEvent: 'weeks.dropped',
    },
    { name: 'watch weeks', everyMs: 15_000, run: watchWeeks },
  ];
}

async function watchWeeks({ db }: DutyContext): Promise<void> {
  for (const state of await listWeekStates(db)) {
    daysAhead.set({ table: state.table }, state.daysAhead);
    unplacedRows.set({ table: state.table }, state.unplaced);
  }
}
