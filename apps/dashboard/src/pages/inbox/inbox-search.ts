import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { oneOf, withoutUndefined } from '../../parts/search-params.ts';

/** Filters of the inbox, and the conversation that is open. */
export interface InboxSearch {
  channel?: Channel;
  open?: 'true';
  /** `15550100001:919812345678`, the sender and the person. */
  with?: string;
}

/** Reads the filters of an address; what is not one is left out. */
export function readInboxSearch({ channel, open, with: key }: Record<string, unknown>): InboxSearch {
  return withoutUndefined<InboxSearch>({
    channel: oneOf(CHANNELS, channel),
    open: open === 'true' || open === true ? 'true' : undefined,
    with: typeof key === 'string' && /^[^:]+:[^:]+$/.test(key) ? key : undefined,
  });
}
