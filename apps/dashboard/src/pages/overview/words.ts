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
  time: 'Time to delivery',
  timeHint: 'Half of the messages were delivered within the first time, 95 % within the second.',
  credits: 'Credits, last hour',
  codes: 'Codes verified',
  sinceYesterday: 'since yesterday',
  traffic: 'Messages, last 24 hours',
  channels: 'By channel, last 24 hours',
  failures: 'Failures by error, last 24 hours',
  noFailures: 'No message failed in the last 24 hours.',
  attention: 'Needs a person',
  unread: 'Some of what may need a person could not be read.',
  nothing: 'Nothing needs a person now.',
  emptyTitle: 'Send your first message',
  emptyText:
    'This page fills with figures a few seconds after the first message. A simulator delivers it while no gateway is configured.',
  sendHere: 'Write a message',
  openPhone: 'Open the phone that gets it',
  commands: 'Or paste these commands into a terminal, in the folder of Signalbox:',
  load: 'Load the API key that npm start wrote',
  send: 'Send an SMS to a simulated phone',
  look: 'Show its status and timeline',
} as const;

export const CHANNEL_NAMES: Record<string, string> = { sms: 'SMS', chatapp: 'Chat app' };
