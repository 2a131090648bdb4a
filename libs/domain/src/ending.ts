/** Why a message ends before any gateway has it. */
export type Ending = keyof typeof ENDINGS;

/** What the report of a message says that ended before any gateway had it (docs/sms.md, docs/chatapp.md). Gateways have no codes from 900 on. */
export const ENDINGS = {
  expired: { errCode: '901', description: 'Expired before it could be submitted' },
  cancelled: { errCode: '902', description: 'Cancelled before it was submitted' },
  opted_out: { errCode: '903', description: 'The recipient has opted out' },
  sender_gone: { errCode: '904', description: 'The sender is no longer registered' },
} as const;

/** The gateway of a report that is our own. */
export const NO_GATEWAY = '';
