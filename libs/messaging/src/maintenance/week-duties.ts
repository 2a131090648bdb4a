import { dropWeek, listWeekStates, makeWeeks } from '@signalbox/database/ops/weeks';
import { Gauge } from 'prom-client';
import type { Duty, DutyContext } from './duty.ts';

const daysAhead = new Gauge({
  name: 'signalbox_partition_days_ahead',
  help: 'Days until a table in weeks has no partition for its new rows',
  labelNames: ['table'],
});
const unplacedRows = new Gauge({
  name: 'signalbox_unplaced_rows',
  help: 'Rows in the default partition of a table in weeks, up to 10,000',
  labelNames: ['table'],
});

/**
 * Maintenance of the tables in weeks.
 *
 * @param retentionDays days after whose end a week is dropped
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
