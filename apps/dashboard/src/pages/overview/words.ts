/** Texts of the page Overview. */
export const WORDS = {
  title: 'Overview',
  acceptedInHour: 'Accepted, last hour',
  deliveredInHour: 'Delivered, last hour',
  failedInHour: 'Failed, last hour',
  lastDay: '24 hours',
  accepted: 'Accepted',
  delivered: 'Delivered',
  failed: 'Failed',
  time: 'Delivery, p50 / p95',
  timeHint: 'Median and 95th percentile',
  credits: 'Credits today',
  codes: 'Codes verified today',
  traffic: 'Messages, last 24 hours',
  channels: 'By channel, last 24 hours',
  failures: 'Failures by error, last 24 hours',
  noFailures: 'No message failed in the last 24 hours.',
  attention: 'Needs a person',
  nothing: 'Nothing needs a person now.',
  emptyTitle: 'Send your first message',
  emptyText:
    'Paste these into a terminal in the folder of Signalbox. This page shows the message after a few seconds.',
  write: 'Write one here',
  load: 'Load the key that npm start wrote',
  send: 'Send an SMS to a simulated phone',
  look: 'Show its status and timeline',
} as const;

export const CHANNEL_NAMES: Record<string, string> = { sms: 'SMS', chatapp: 'Chat app' };
