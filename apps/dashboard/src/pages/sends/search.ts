/** The filters of the list of sends: search parameters of its address. */
export interface SendSearch {
  channel?: 'sms' | 'chatapp';
  campaignName?: string;
  clientRef?: string;
  sender?: string;
}

export const TEXT_FILTERS = ['campaignName', 'clientRef', 'sender'] as const;

/** Reads the filters of an address; what is no filter is left out. */
export function readSearch(given: Record<string, unknown>): SendSearch {
  const search: SendSearch = {};
  for (const name of TEXT_FILTERS) {
    const value = given[name];
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (text !== '') search[name] = text;
  }
  const { channel } = given;
  if (channel === 'sms' || channel === 'chatapp') search.channel = channel;
  return search;
}
