import { PARKED_KINDS } from '@signalbox/database/ops/parked';
import { ID } from './statement-values.ts';

const SAMPLE = { queue: 'dlr', completed: 1, failed: 0, waiting: 0, active: 0, delayed: 0 };

/** The arguments of each function that the pages of operators use. */
export const OPS_STATEMENT_CALLS: Record<string, unknown[][]> = {
  'accounts-changeAccount': [[ID, {}]],
  'accounts-findAccount': [[ID]],
  'accounts-insertAccount': [
    [{ id: ID.replace('019e', '019f'), name: 'name', smsPerSecond: null, limits: {} }],
  ],
  'accounts-lockAccountNames': [[]],
  'accounts-listAccounts': [[{ search: null, status: null }, 10]],
  'accounts-setAccountPaused': [[ID, true]],
  'ops-countWorkers': [[]],
  'ops-discardParked': PARKED_KINDS.map((kind) => [kind, [], { reason: 'reason', actor: 'actor' }]),
  'ops-erasePerson': [['919800000100']],
  'ops-freeParked': PARKED_KINDS.map((kind) => [kind, []]),
  'ops-listAppliedMigrations': [[]],
  'ops-listChanges': [[[ID], 3]],
  'ops-listLaneBacklogs': [[10]],
  'ops-listOpenMessages': [[]],
  'ops-countWaitingPushes': [[]],
  'ops-listParked': PARKED_KINDS.map((kind) => [kind, { accountId: null, gateway: null }, 10]),
  'ops-listTables': [[]],
  'ops-noteRowFailures': [['message', [ID], 'error']],
  'ops-readClock': [[]],
  'ops-readDatabaseFacts': [[]],
  'ops-readMarks': [[]],
  'ops-sweepRowFailures': [[]],
  'webhooks-listBreakers': [[{ state: null, accountId: null }, 10]],
  'ops-addQueueSamples': [[[SAMPLE]]],
  'ops-listQueueMinutes': [['dlr', 3]],
  'ops-listQueueRates': [[]],
  'ops-sweepQueueMinutes': [[]],
  'reports-listForeign': [[[{ gateway: 'name', submissionId: ID, n: 1 }]]],
  'reports-listReportMessages': [[[ID]]],
};
