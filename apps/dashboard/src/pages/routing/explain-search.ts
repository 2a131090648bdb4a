import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { oneOf, textOf, withoutUndefined } from '../../parts/search-params.ts';

/** The message of the what-if router, as the address of the page holds it. */
export interface ExplainSearch {
  recipient?: string;
  type?: 'OTP' | 'TRANS' | 'PROMO';
  sender?: string;
  channel?: Channel;
}

/** Reads the message of an address; what is not part of one is left out. */
export function readExplainSearch(search: Record<string, unknown>): ExplainSearch {
  return withoutUndefined<ExplainSearch>({
    recipient: textOf(search['recipient']),
    sender: textOf(search['sender']),
    type: oneOf(['OTP', 'TRANS', 'PROMO'], search['type']),
    channel: oneOf(CHANNELS, search['channel']),
  });
}
