/** Words of the page Usage. */
export const WORDS = {
  title: 'Usage',
  lead: 'Accepted messages and their credits by day, in your time zone.',
  credits: 'Credits',
  messages: 'Messages',
  chart: 'Credits by day',
  byDay: 'All',
  sender: 'Sender',
  channel: 'Channel',
  bySender: 'By sender',
  byChannel: 'By channel',
  period: 'Period',
  split: 'Split',
  day: 'Day',
  others: 'Others',
  download: 'Download CSV',
  emptyTitle: 'Nothing was sent in this time',
  emptyText: 'Credits appear here within seconds after messages are accepted.',
} as const;

/** Lengths of the period to choose from, in days. */
export const PERIODS = { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days' } as const;
