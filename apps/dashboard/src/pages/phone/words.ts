/** Words of the phone of the simulator. */
export const WORDS = {
  title: 'Phone',
  lead: 'A phone for any number. It shows what the simulator delivered in the last hour, and writes back.',
  number: 'Number of the phone',
  numberHint: '7 to 15 digits with country code',
  badNumber: 'Enter 7 to 15 digits.',
  open: 'Open',
  recent: 'Phones with messages',
  noRecent: 'No phone got a message in the last hour.',
  choose: 'Choose a number',
  chooseText: 'Any number works. Its last four digits choose what happens to messages.',
  empty: 'Nothing arrived in the last hour.',
  sendTo: 'Send it a message',
  threads: 'Conversation',
  newThread: 'Write to another sender',
  channel: 'Channel',
  sender: 'Sender',
  senderHint: { sms: 'A number or a name', chatapp: 'A number of one of your chat accounts' } as const,
  start: 'Start',
  reply: 'Reply',
  send: 'Send',
  stop: 'STOP',
  begin: 'START',
  yes: 'YES',
  readOnly: 'Your role can only read.',
  scripts: 'What the last four digits do',
  digits: 'Digits',
  anyOther: 'Any other',
};

/** The scripts of the simulator, as docs/simulator.md has them. */
export const SCRIPTS: readonly { digits: string; sms: string; chatapp: string }[] = [
  { digits: WORDS.anyOther, sms: 'Delivered', chatapp: 'Sent, Delivered, Read' },
  { digits: '0001', sms: 'Failed: absent subscriber, errCode 001', chatapp: 'The same' },
  { digits: '0002', sms: 'Failed: blocked, errCode 002', chatapp: 'The same' },
  {
    digits: '0003',
    sms: 'Throttled twice, then Delivered',
    chatapp: 'Throttled twice, then Sent, Delivered, Read',
  },
  {
    digits: '0004',
    sms: 'The report arrives before the answer to the submit',
    chatapp: 'Sent arrives before the answer to the submit',
  },
  { digits: '0005', sms: 'Every report arrives twice', chatapp: 'Every callback arrives twice' },
  { digits: '0006', sms: 'No report: stays Sent', chatapp: 'The same' },
  {
    digits: '0007',
    sms: 'Delivered, then Read',
    chatapp: 'Sent, Delivered, Read, and the phone answers YES',
  },
  {
    digits: '0008',
    sms: 'Reports out of order; stays Delivered',
    chatapp: 'Callbacks out of order; stays Read',
  },
  {
    digits: '0009',
    sms: 'The submit times out; unconfirmed, then Delivered, sent once',
    chatapp: 'The same, and Sent, Delivered, Read',
  },
];
