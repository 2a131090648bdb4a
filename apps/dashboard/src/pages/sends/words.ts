/** Words of the pages Sends and One send. */
export const WORDS = {
  title: 'Sends',
  lead: 'Every request that sent messages, newest first, with the progress of its messages.',
  emptyTitle: 'No sends yet',
  emptyText: 'A send appears here as soon as it is accepted.',
  send: 'Send',
  noMatchTitle: 'No send matches',
  noMatchText: 'Remove a filter to see more.',
  campaign: 'Campaign',
  reference: 'Reference',
  sender: 'Sender',
  channel: 'Channel',
  anyChannel: 'Any channel',
  accepted: 'Accepted',
  state: 'State',
  messages: 'Messages',
  progress: 'Progress',
  cancelOneConsequence:
    'They fail with errCode 902, and your webhooks get their reports. This cannot be undone.',
  cancelVerb: 'Cancel them',
  cancel: 'Cancel pending messages',
  allMessages: 'All messages of this send',
  failed: 'Failed messages',
} as const;

/** Labels of the states of a send. */
export const STATES = {
  scheduled: 'Scheduled',
  sending: 'Sending',
  cancelled: 'Cancelled',
  done: 'Done',
} as const;
