import type { LaneBacklog, Queue } from '@signalbox/client';
import type { AccountLimit } from '@signalbox/domain/account-limits';
import { typeName } from '../../parts/type-names.ts';

/** Words of the pages of operators. */
export const WORDS = {
  queues: 'Queues',
  queuesLead:
    'Work that waits for a worker. Pausing a queue stops its work; nothing is lost, and it goes on when you resume it.',
  bullBoard: 'Open bull-board',
  history: 'Last hours',
  hours: 'Hours of the charts',
  noMinutes: 'No worker has run in these hours, or the first one started less than two minutes ago.',
  jobs: 'Jobs, the most in each minute',
  waiting: 'Waiting',
  active: 'Active',
  delayed: 'Delayed',
  failed: 'Failed',
  runs: 'Runs per minute',
  succeeded: 'Succeeded',
  noJobs: 'No jobs in this state',
  noJobsText: 'Jobs that succeed are deleted. Failed ones are kept for a day.',
  lanes: 'Lanes and backlog',
  lanesLead:
    'Sends that wait, by account and lane. Pausing an account holds its messages and codes on every lane.',
  queuePaused: 'Queue paused',
  noBacklog: 'No send waits',
  noBacklogText: 'Every accepted send is with its gateway.',
  openMessages: 'Messages without a final report',
  waitingPushes: 'Pushes to webhooks',
  calledPushes: 'Waiting for their next call',
  nextPush: 'The first of them is due',
  uncalledPushes: 'Not called: disabled, or pulled',
  parked: 'Parked rows',
  parkedLead: 'Rows that were started ten times without an outcome. Find the cause before you free them.',
  noParked: 'Nothing is parked',
  noParkedText: 'A row is parked when it has failed ten times, or ended its worker ten times.',
  accounts: 'Accounts',
  accountsLead: 'Every tenant of this installation.',
  noAccounts: 'No account matches',
  createAccount: 'Create account',
  editAccount: 'Edit account',
  saveAccount: 'Save',
  limits: 'Limits; an empty one has its default',
  current: 'Current',
  system: 'System',
  systemLead: 'Versions, servers, migrations and settings of this installation.',
} as const;

/** Work of each queue. */
export const QUEUE_WORK: Readonly<Record<Queue['name'], string>> = {
  'sms-otp': 'Sends one-time passwords by SMS',
  'sms-trans': 'Sends transactional SMS',
  'sms-promo': 'Sends promotional SMS',
  'chatapp-otp': 'Sends one-time passwords by chat app',
  chatapp: 'Sends chat-app messages',
  otp: 'Makes and sends verification codes',
  'template-review': 'Reviews templates',
  callback: 'Reads what gateways report',
  'dlr-otp': 'Pushes reports of one-time passwords',
  dlr: 'Applies and pushes delivery reports',
  'dlr-bulk': 'Pushes reports of large sends',
  'chat-simulator': 'Plays the simulated chat app',
};

/** Names of the lanes. */
export const LANES: Readonly<Record<LaneBacklog['lane'], string>> = {
  OTP: 'One-time passwords',
  TRANS: typeName('TRANS'),
  PROMO: typeName('PROMO'),
  CHAT_OTP: 'Chat-app codes',
  CHAT: 'Chat app',
};

/** Names of the kinds of parked rows, for one and for many. */
export const KINDS = {
  message: ['message', 'Messages'],
  submission: ['send', 'Sends'],
  report: ['report', 'Reports'],
  template: ['template', 'Templates'],
  callback: ['callback', 'Callbacks'],
  verification: ['verification', 'Verifications'],
} as const;

/** Names of the limits of an account. */
export const LIMIT_NAMES: Record<AccountLimit, string> = {
  webhooks: 'Webhooks',
  chatAccounts: 'Chat accounts',
  senders: 'Senders',
  templateNames: 'Templates per chat account',
  smsTemplates: 'SMS templates',
  verifyConfigs: 'Verification configurations',
  unusedMedia: 'Files without a template',
  mediaBytes: 'Bytes of files',
  apiKeys: 'API keys',
  users: 'Users',
  cancellations: 'Running cancellations',
  replays: 'Running replays',
  exports: 'CSV exports at once',
};
