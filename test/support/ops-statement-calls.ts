import { ID } from './statement-values.ts';

const SAMPLE = { queue: 'dlr', completed: 1, failed: 0, waiting: 0, active: 0, delayed: 0 };

/** The arguments of each function that the pages of operators use. */
export const OPS_STATEMENT_CALLS: Record<string, unknown[][]> = {
  'ops-addQueueSamples': [[[SAMPLE]]],
  'ops-listQueueMinutes': [['dlr', 3]],
  'ops-listQueueRates': [[]],
  'ops-sweepQueueMinutes': [[]],
  'reports-listReportMessages': [[[ID]]],
};
