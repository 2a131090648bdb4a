/** Words of the pages Messages and A message. */
export const WORDS = {
  title: 'Messages',
  message: 'Message',
  lead: 'Every message of the account, newest first.',
  find: 'Number, message id or send id',
  notFindable:
    'Enter a number with its country code, a message id or the id of a send. A reference goes under More filters.',
  emptyTitle: 'No messages yet',
  emptyText: 'Messages appear here as soon as they are accepted, also those that are scheduled.',
  noMatchTitle: 'No message matches',
  noMatchText: 'Remove a filter, or widen the time.',
  noRecipientText:
    'No message went to this number. Type it with its country code, as in +91 98000 00001; or remove another filter.',
  more: 'More filters',
  status: 'Status',
  channel: 'Channel',
  time: 'Time',
  sender: 'Sender',
  campaign: 'Campaign',
  reference: 'Reference',
  errCode: 'Error code',
  gateway: 'Gateway',
  from: 'Accepted from',
  to: 'Accepted before',
  submission: 'Send',
  recipient: 'Recipient',
  apply: 'Apply filters',
  exportCsv: 'Export CSV',
  exporting: 'Exporting messages',
  exported: 'The export is complete',
  exportFailed: 'The export has failed',
  exportStopped: 'The export was stopped',
  stop: 'Stop',
  send: 'Send',
  anyStatus: 'Any status',
  anyChannel: 'Any channel',
  anyTime: 'Any time',
} as const;

/** Labels of the last hours and days to choose from. */
export const PERIODS = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
} as const;

/** Words of the page of one message. */
export const MESSAGE_WORDS = {
  timeline: 'What happened',
  content: 'Message',
  facts: 'Details',
  send: 'Its send',
  code: 'One-time passwords are encrypted, wiped once they are sent, and never shown.',
  noText: 'Its text cannot be shown.',
  pushAgain: 'Push again',
  pushed: 'The push is due again.',
  attempts: 'Show calls',
  hideAttempts: 'Hide calls',
  previous: 'Previous message',
  next: 'Next message',
  allOfSend: 'All messages of this send',
  progress: 'Progress of the send',
  cancel: 'Cancel message',
  phone: 'Open the phone',
} as const;

/** Labels of the filters that are compared as text. */
export const TEXT_LABELS = {
  sender: WORDS.sender,
  campaignName: WORDS.campaign,
  clientRef: WORDS.reference,
  errCode: WORDS.errCode,
  gateway: WORDS.gateway,
} as const;
