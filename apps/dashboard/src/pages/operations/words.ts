/** Words of the pages of operators. */
export const WORDS = {
  crumb: 'Operations',
  queues: 'Queues',
  queuesLead: 'Jobs name rows of the database and hold no facts: removing one loses nothing.',
  history: 'Waiting jobs and runs per minute',
  waiting: 'Waiting',
  active: 'Active',
  delayed: 'Delayed',
  failed: 'Failed',
  runs: 'Runs per minute',
  failedRuns: 'Failed runs per minute',
  noJobs: 'No such jobs',
  noJobsText: 'Jobs that succeed are deleted. Failed ones are kept for a day.',
  lanes: 'Lanes and backlog',
  lanesLead:
    'Sends that wait, by account and lane. Pausing an account holds its messages and codes on every lane.',
  noBacklog: 'No send waits',
  noBacklogText: 'Every accepted send is with its gateway.',
  openMessages: 'Messages without a final report',
  parked: 'Parked rows',
  parkedLead: 'Rows that were started ten times without an outcome. Find the cause before you free them.',
  noParked: 'Nothing is parked',
  noParkedText: 'A row is parked when it has failed ten times, or ended its worker ten times.',
  accounts: 'Accounts',
  accountsLead: 'Every tenant of this installation.',
  noAccounts: 'No account matches',
  system: 'System',
  systemLead: 'Versions, servers, migrations and settings of this installation.',
} as const;

/** Names of the kinds of parked rows, for one and for many. */
export const KINDS = {
  message: ['message', 'Messages'],
  report: ['report', 'Reports'],
  template: ['template', 'Templates'],
  callback: ['callback', 'Callbacks'],
  verification: ['verification', 'Verifications'],
} as const;
