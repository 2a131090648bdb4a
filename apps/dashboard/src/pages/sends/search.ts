import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { oneOf, textOf, withoutUndefined } from '../../parts/search-params.ts';

/** The filters of the list of sends: search parameters of its address. */
export interface SendSearch {
  channel?: Channel;
  campaignName?: string;
  clientRef?: string;
  sender?: string;
}

export const TEXT_FILTERS = ['campaignName', 'clientRef', 'sender'] as const;

/** Reads the filters of an address; what is no filter is left out. */
export function readSearch(given: Record<string, unknown>): SendSearch {
  return withoutUndefined<SendSearch>({
    channel: oneOf(CHANNELS, given['channel']),
    ...Object.fromEntries(TEXT_FILTERS.map((name) => [name, textOf(given[name])])),
  });
}
