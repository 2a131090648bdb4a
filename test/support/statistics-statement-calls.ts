import { ID, NOW } from './statement-values.ts';

const SERIES = { from: NOW, to: new Date(NOW.getTime() + 60_000), step: 'hour', zone: 'UTC' };

/** The arguments of each function of libs/database/src/statistics that sends statements. */
export const STATISTICS_STATEMENT_CALLS: Record<string, unknown[][]> = {
  'statistics-advanceStatistics': [[90, NOW]],
  'statistics-buildMinute': [[NOW]],
  'statistics-findBuiltAt': [[]],
  'statistics-listIntervals': [[SERIES]],
  'statistics-listSeries': [
    [ID, { ...SERIES, source: 'minute' }],
    [ID, { ...SERIES, source: 'quarter' }, 'sender'],
  ],
  'statistics-sweepStatistics': [[NOW]],
};
