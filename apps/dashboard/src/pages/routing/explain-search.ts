/** The message of the what-if router, as the address of the page holds it. */
export interface ExplainSearch {
  recipient?: string;
  type?: 'OTP' | 'TRANS' | 'PROMO';
  sender?: string;
  channel?: 'sms' | 'chatapp';
}

/** Reads the message of an address; what is not part of one is left out. */
export function readExplainSearch(search: Record<string, unknown>): ExplainSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return (typeof value === 'string' || typeof value === 'number') && value !== ''
      ? String(value)
      : undefined;
  };
  const given = {
    recipient: text('recipient'),
    sender: text('sender'),
    type: (['OTP', 'TRANS', 'PROMO'] as const).find((each) => each === search['type']),
    channel: (['sms', 'chatapp'] as const).find((each) => each === search['channel']),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
