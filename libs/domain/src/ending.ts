/** Reason that a message ends before it is submitted to a gateway. */
export type Ending = keyof typeof ENDINGS;

/** Report of a message that ends before it is submitted. Gateways have no codes from 900 on. */
export const ENDINGS = {
  expired: { errCode: '901', description: 'Expired before it could be submitted' },
  cancelled: { errCode: '902', description: 'Cancelled before it was submitted' },
  opted_out: { errCode: '903', description: 'The recipient has opted out' },
  sender_gone: { errCode: '904', description: 'The sender is no longer registered' },
} as const;

/** Gateway name in reports that Signalbox itself creates. */
export const NO_GATEWAY = '';
